package io.millrace.core.testtls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A self-signed certificate in a store with its key, as all processes of a small cluster may share
 * it. Created with keytool.
 */
public record TestCertificate(Path store, String password) {
  /** Creates a certificate with this name in a directory. */
  public static TestCertificate make(Path directory, String name) throws IOException {
    TestCertificate made = new TestCertificate(directory.resolve(name + ".p12"), "pass-" + name);
    Path log = directory.resolve(name + ".log");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + name,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                made.store.toString(),
                "-storepass",
                made.password)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!keytool.waitFor(1, TimeUnit.MINUTES) || keytool.exitValue() != 0) {
        keytool.destroyForcibly();
        throw new IOException("keytool failed: " + Files.readString(log));
      }
    } catch (InterruptedException e) {
      keytool.destroyForcibly();
      throw new IOException(e);
    }
    return made;
  }

  /** The configuration of a process that has this certificate and trusts it. */
  public Configuration configuration() {
    return trusting(this);
  }

  /** The configuration of a process that has this certificate and trusts another one. */
  public Configuration trusting(TestCertificate other) {
    return Configuration.EMPTY
        .with(TlsOptions.INTERNAL_ENABLED, true)
        .with(TlsOptions.KEYSTORE, store)
        .with(TlsOptions.KEYSTORE_PASSWORD, password)
        .with(TlsOptions.TRUSTSTORE, other.store)
        .with(TlsOptions.TRUSTSTORE_PASSWORD, other.password);
  }
}
