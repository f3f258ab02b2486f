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
 * Uses a secure HDFS in another process: Hadoop's client has one login per JVM, and in the JVM of
 * the test it is that of the daemons. With a keytab and a principal it writes a file and stores a
 * token; with the token it reads that file; without both it fails to. It also logs in and prints
 * the result.
 */
final class SecureHdfsClient {
  private static final FilePath FILE = FilePath.parse("hdfs:///grain");

  private SecureHdfsClient() {}

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

  private static void write(Path tokenFile, KerberosLogin login) throws Exception {
    try (SecurityContext context = new HadoopSecurityModule().login(login, Configuration.EMPTY)) {
      System.out.println("As " + context.description());
      try (OutputStream out = context.call(() -> new HadoopFileSystem().create(FILE))) {
        out.write("stone".getBytes(java.nio.charset.StandardCharsets.UTF_8));
      }
      Configuration configuration =
          Configuration.EMPTY
              .with(SecurityOptions.KERBEROS_KEYTAB, login.keytab())
              .with(SecurityOptions.KERBEROS_PRINCIPAL, login.principal());
      // After it has received a token, its connections present it.
      for (int time = 0; time < 2; time++) {
        new HadoopTokenReceiver()
            .received(new HadoopTokenProvider().obtain(configuration).orElseThrow().content());
      }
      DelegationToken token = new HadoopTokenProvider().obtain(configuration).orElseThrow();
      System.out.println("Lasts: " + token.validUntil().orElseThrow().isAfter(Instant.now()));
      Files.write(tokenFile, token.content().toArray());
    }
  }

  private static void logIn(KerberosLogin login) throws Exception {
    try {
      new HadoopSecurityModule().login(login, Configuration.EMPTY).close();
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
