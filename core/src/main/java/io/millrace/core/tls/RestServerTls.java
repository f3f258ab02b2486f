package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

/**
 * What a REST server needs to serve over TLS.
 *
 * @param key what it shows its clients
 * @param clients whom it serves; everybody where it does not ask
 * @param protocol the version of TLS
 * @param ciphers those that may be used, empty for the JVM's own choice
 */
public record RestServerTls(
    X509KeyManager key, Optional<X509TrustManager> clients, String protocol, List<String> ciphers) {
  private static final KeyStoreFile KEYS =
      new KeyStoreFile(
          RestTlsOptions.ENABLED,
          RestTlsOptions.KEYSTORE,
          RestTlsOptions.KEYSTORE_PASSWORD,
          RestTlsOptions.KEYSTORE_TYPE);
  private static final KeyStoreFile CLIENTS =
      new KeyStoreFile(
          RestTlsOptions.AUTHENTICATION,
          RestTlsOptions.TRUSTSTORE,
          RestTlsOptions.TRUSTSTORE_PASSWORD,
          RestTlsOptions.TRUSTSTORE_TYPE);

  public RestServerTls {
    Objects.requireNonNull(key);
    Objects.requireNonNull(clients);
    Objects.requireNonNull(protocol);
    ciphers = List.copyOf(ciphers);
  }

  /** What the configuration says; empty if it does not ask for TLS. */
  public static Optional<RestServerTls> of(Configuration configuration) {
    if (!configuration.get(RestTlsOptions.ENABLED)) {
      return Optional.empty();
    }
    TlsVersion version = TlsVersion.of(configuration);
    return Optional.of(
        new RestServerTls(
            KEYS.key(configuration, RestTlsOptions.KEY_PASSWORD),
            RestTlsOptions.asksForCertificates(configuration)
                ? Optional.of(CLIENTS.trust(configuration))
                : Optional.empty(),
            version.protocol(),
            version.ciphers()));
  }

  /** Without the key. */
  @Override
  public String toString() {
    return protocol;
  }
}
