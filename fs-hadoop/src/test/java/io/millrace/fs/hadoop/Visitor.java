package io.millrace.fs.hadoop;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.security.DelegationToken;
import io.millrace.core.security.KerberosLogin;
import io.millrace.core.security.SecurityContext;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A process of its own that uses a secure HDFS: Hadoop's client has one login a JVM, and that of
 * the test is the daemons'. With a keytab and a principal it writes a file and leaves a token; with
 * nothing but the token it reads that file; with neither it tries to. It also tries to log in, and
 * tells what comes of it.
 */
final class Visitor {
  private static final FilePath FILE = FilePath.parse("hdfs:///grain");

  private Visitor() {}

  public static void main(String[] arguments) throws Exception {
    Path token = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "write" -> write(token, new KerberosLogin(Path.of(arguments[2]), arguments[3]));
      case "read-with-token" -> {
        new HadoopTokenReceiver().received(Bytes.wrap(Files.readAllBytes(token)));
        read();
      }
      case "log-in" -> {
        for (int i = 3; i < arguments.length; i++) {
          logIn(new KerberosLogin(Path.of(arguments[2]), arguments[i]));
        }
      }
      default -> read();
    }
  }

  private static void write(Path leftAt, KerberosLogin login) throws Exception {
    try (SecurityContext context = new HadoopSecurityModule().login(login)) {
      System.out.println("As " + context.description());
      try (OutputStream out = context.call(() -> new HadoopFileSystem().create(FILE))) {
        out.write("stone".getBytes(java.nio.charset.StandardCharsets.UTF_8));
      }
      Configuration configuration =
          Configuration.EMPTY
              .with(SecurityOptions.KERBEROS_KEYTAB, login.keytab())
              .with(SecurityOptions.KERBEROS_PRINCIPAL, login.principal());
      // Once it has taken one, its connections present that.
      for (int time = 0; time < 2; time++) {
        new HadoopTokenReceiver()
            .received(new HadoopTokenProvider().obtain(configuration).orElseThrow().content());
      }
      DelegationToken token = new HadoopTokenProvider().obtain(configuration).orElseThrow();
      System.out.println("Lasts: " + token.validUntil().orElseThrow().isAfter(Instant.now()));
      Files.write(leftAt, token.content().toArray());
    }
  }

  private static void logIn(KerberosLogin login) throws Exception {
    try {
      new HadoopSecurityModule().login(login).close();
    } catch (MillraceException e) {
      System.out.println(e.kind() + " " + e.getMessage());
    }
  }

  private static void read() throws Exception {
    try (InputStream in = new HadoopFileSystem().open(FILE, 0)) {
      System.out.println(
          "Read " + new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
    }
  }
}
