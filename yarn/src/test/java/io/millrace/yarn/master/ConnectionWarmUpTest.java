package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.tls.ClusterCertificateAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionWarmUpTest {
  private static final String PASSWORD = "password";

  @TempDir private Path directory;

  private Path key(String name) throws IOException {
    Instant now = Instant.now();
    return Files.write(
        directory.resolve(name),
        ClusterCertificateAuthority.create(name, now).issue("jobmanager", PASSWORD, now));
  }

  private static Configuration configuration(Path key, Path trusted) {
    return Configuration.EMPTY
        .with(TlsOptions.INTERNAL_ENABLED, true)
        .with(TlsOptions.KEYSTORE, key)
        .with(TlsOptions.KEYSTORE_PASSWORD, PASSWORD)
        .with(TlsOptions.TRUSTSTORE, trusted)
        .with(TlsOptions.TRUSTSTORE_PASSWORD, PASSWORD);
  }

  @Test
  void jobManagerCallsItselfWithItsOwnKey() throws IOException {
    Path key = key("ours");
    assertThat(new ConnectionWarmUp(configuration(key, key)).connect()).isTrue();
  }

  @Test
  void jobManagerWithoutTlsCallsItself() {
    assertThat(new ConnectionWarmUp(Configuration.EMPTY).connect()).isTrue();
  }

  @Test
  void keyThatIsNotTrustedOrIsMissingHasNoEffect() throws IOException {
    assertThat(new ConnectionWarmUp(configuration(key("ours"), key("theirs"))).connect()).isFalse();
    assertThat(new ConnectionWarmUp(configuration(directory.resolve("none"), directory)).connect())
        .isFalse();
  }
}
