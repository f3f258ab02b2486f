package io.millrace.core.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.testtls.TestCertificate;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsWarmUpTest {
  @TempDir private static Path directory;
  private static TestCertificate ours;
  private static TestCertificate theirs;

  @BeforeAll
  static void make() throws IOException {
    ours = TestCertificate.make(directory, "ours");
    theirs = TestCertificate.make(directory, "theirs");
  }

  private static boolean succeeds(Configuration configuration) {
    return TlsWarmUp.connectToItself(InternalTls.of(configuration).orElseThrow());
  }

  @Test
  void processCompletesAHandshakeWithItselfInBothVersionsOfTls() {
    assertThat(succeeds(ours.configuration())).isTrue();
    assertThat(succeeds(ours.configuration().with(TlsOptions.PROTOCOL, "TLSv1.2"))).isTrue();
    assertThat(succeeds(ours.configuration().with(TlsOptions.PROTOCOL, "TLSv1.3"))).isTrue();
  }

  @Test
  void processThatDoesNotTrustItsOwnCertificateStartsNevertheless() {
    Configuration mixed =
        ours.configuration()
            .with(TlsOptions.TRUSTSTORE, theirs.store())
            .with(TlsOptions.TRUSTSTORE_PASSWORD, theirs.password());
    assertThat(succeeds(mixed)).isFalse();
    assertThat(TlsWarmUp.run(mixed)).isFalse();
  }

  @Test
  void missingKeyStoreAndDisabledTlsHaveNoEffect() {
    assertThat(TlsWarmUp.run(Configuration.EMPTY)).isFalse();
    assertThat(
            TlsWarmUp.run(
                ours.configuration().with(TlsOptions.KEYSTORE, directory.resolve("none"))))
        .isFalse();
  }
}
