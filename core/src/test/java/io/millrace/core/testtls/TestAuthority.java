package io.millrace.core.testtls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.tls.ClusterCertificateAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** A cluster whose processes each have their own key. */
public record TestAuthority(ClusterCertificateAuthority authority, Path directory) {
  private static final String PASSWORD = "a password";

  /** Creates an authority with its files in a directory. */
  public static TestAuthority make(Path directory) {
    return new TestAuthority(
        ClusterCertificateAuthority.create("Millrace cluster test", Instant.now()), directory);
  }

  /** The configuration of a process with this name; its JobManagers have the subject jobmanager. */
  public Configuration process(String name) throws IOException {
    Path store = store(name);
    return Configuration.EMPTY
        .with(TlsOptions.INTERNAL_ENABLED, true)
        .with(TlsOptions.KEYSTORE, store)
        .with(TlsOptions.KEYSTORE_PASSWORD, PASSWORD)
        .with(TlsOptions.TRUSTSTORE, store)
        .with(TlsOptions.TRUSTSTORE_PASSWORD, PASSWORD)
        .with(TlsOptions.JOB_MANAGER_SUBJECT, "CN=jobmanager");
  }

  /** The configuration of a process that trusts another authority. */
  public Configuration processTrusting(TestAuthority other, String name) throws IOException {
    return process(name)
        .with(TlsOptions.TRUSTSTORE, other.process("nobody").get(TlsOptions.TRUSTSTORE));
  }

  /**
   * The configuration of a REST server with this name that requests no certificate, or of a client
   * that trusts it.
   */
  public Configuration rest(String name) throws IOException {
    Path store = store(name);
    return Configuration.EMPTY
        .with(RestTlsOptions.ENABLED, true)
        .with(RestTlsOptions.KEYSTORE, store)
        .with(RestTlsOptions.KEYSTORE_PASSWORD, PASSWORD)
        .with(RestTlsOptions.TRUSTSTORE, store)
        .with(RestTlsOptions.TRUSTSTORE_PASSWORD, PASSWORD);
  }

  private Path store(String name) throws IOException {
    Path store = Files.createTempFile(directory, name, ".jks");
    return Files.write(store, authority.issue(name, PASSWORD, Instant.now()));
  }
}
