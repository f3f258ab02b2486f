package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

/**
 * TLS settings of a REST server.
 *
 * @param key the key and certificate of the server
 * @param clients the trusted client certificates; all clients are accepted if the server does not
 *     request certificates
 * @param protocol the version of TLS
 * @param ciphers the allowed cipher suites; empty for the defaults of the JVM
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

  /** The configured settings; empty if TLS is disabled. */
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

  /** The SHA-256 fingerprint of the certificate of the server; empty if TLS is disabled. */
  public static Optional<String> fingerprint(Configuration configuration) {
    return configuration.get(RestTlsOptions.ENABLED)
        ? Optional.of(CertificateFingerprint.sha256(KEYS.certificate(configuration)))
        : Optional.empty();
  }

  /** Omits the key. */
  @Override
  public String toString() {
    return protocol;
  }
}
