package io.millrace.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testtls.TestAuthority;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestTlsTest {
  @TempDir private Path directory;
  private Configuration full;

  @BeforeEach
  void make() throws IOException {
    full = TestAuthority.make(directory).rest("localhost");
  }

  @Test
  void isDisabledByDefault() {
    assertThat(RestServerTls.of(Configuration.EMPTY)).isEmpty();
    assertThat(RestClientTls.of(Configuration.EMPTY)).isEmpty();
    assertThat(RestTlsOptions.scheme(Configuration.EMPTY)).isEqualTo("http://");
    assertThat(RestTlsOptions.scheme(full)).isEqualTo("https://");
  }

  @Test
  void serverNeedsOnlyAKey() {
    RestServerTls tls =
        RestServerTls.of(
                without(
                    without(full, RestTlsOptions.TRUSTSTORE), RestTlsOptions.TRUSTSTORE_PASSWORD))
            .orElseThrow();
    assertThat(tls.clients()).isEmpty();
    assertThat(tls.toString()).isEqualTo("TLSv1.3");
  }

  @Test
  void clientNeedsOnlyATrustStore() {
    assertThat(
            RestClientTls.of(
                without(without(full, RestTlsOptions.KEYSTORE), RestTlsOptions.KEYSTORE_PASSWORD)))
        .isPresent();
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void errorsNameMissingOptions() {
    assertRefused(
        () -> RestClientTls.of(Configuration.EMPTY.with(RestTlsOptions.ENABLED, true)),
        "needs security.ssl.rest.truststore,");
    assertRefused(
        () -> RestServerTls.of(without(full, RestTlsOptions.KEYSTORE)),
        "security.ssl.rest.enabled needs security.ssl.rest.keystore");
    assertRefused(
        () -> RestServerTls.of(without(full, RestTlsOptions.KEYSTORE_PASSWORD)),
        "security.ssl.rest.keystore-password");
    assertRefused(
        () -> RestClientTls.of(without(full, RestTlsOptions.TRUSTSTORE)),
        "security.ssl.rest.enabled needs security.ssl.rest.truststore");
    Configuration mutual = full.with(RestTlsOptions.AUTHENTICATION, true);
    assertRefused(
        () -> RestServerTls.of(without(mutual, RestTlsOptions.TRUSTSTORE)),
        "security.ssl.rest.authentication-enabled needs security.ssl.rest.truststore");
    assertRefused(
        () -> RestClientTls.of(without(mutual, RestTlsOptions.KEYSTORE)),
        "security.ssl.rest.authentication-enabled needs security.ssl.rest.keystore");
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void errorsNameWrongOptions() {
    assertRefused(
        () -> RestServerTls.of(full.with(RestTlsOptions.KEYSTORE, "/no/such/file")),
        "/no/such/file");
    Configuration wrong =
        full.with(RestTlsOptions.KEYSTORE_PASSWORD, "hunter2")
            .with(RestTlsOptions.TRUSTSTORE_PASSWORD, "hunter2");
    assertRefused(() -> RestServerTls.of(wrong), "security.ssl.rest.keystore", "password");
    assertRefused(() -> RestClientTls.of(wrong), "security.ssl.rest.truststore", "password");
    assertRefused(
        () -> RestServerTls.of(full.with(RestTlsOptions.KEY_PASSWORD, "hunter2")),
        "security.ssl.rest.key-password");
    assertRefused(() -> RestClientTls.of(full.with(TlsOptions.PROTOCOL, "TLSv9")), "TLSv9");
  }

  private static Configuration without(Configuration configuration, Option<String> option) {
    Map<String, String> entries = new LinkedHashMap<>(configuration.entries());
    entries.remove(option.key());
    return new Configuration(entries);
  }

  private static void assertRefused(ThrowingCallable reading, String... parts) {
    assertThatThrownBy(reading)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContainingAll(parts)
        .hasMessageNotContaining("hunter2");
  }
}
