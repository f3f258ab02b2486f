package io.millrace.core.testtls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.tls.ClusterCertificateAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** A cluster whose processes have each a key of its own. */
public record TestAuthority(ClusterCertificateAuthority authority, Path directory) {
  private static final String PASSWORD = "a password";

  /** Makes one whose files are in a directory. */
  public static TestAuthority make(Path directory) {
    return new TestAuthority(
        ClusterCertificateAuthority.create("Millrace cluster test", Instant.now()), directory);
  }

  /** A process with this name, which takes those called jobmanager for JobManagers. */
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

  /** The same, but trusting whom another authority has signed. */
  public Configuration processTrusting(TestAuthority other, String name) throws IOException {
    return process(name)
        .with(TlsOptions.TRUSTSTORE, other.process("nobody").get(TlsOptions.TRUSTSTORE));
  }

  /** A REST server with this name that asks nobody, or a client that trusts it. */
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
