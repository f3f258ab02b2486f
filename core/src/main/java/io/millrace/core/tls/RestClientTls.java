package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import java.io.IOException;
import java.net.Socket;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/** TLS settings of a client of a REST server. */
public final class RestClientTls {
  private static final KeyStoreFile SERVERS =
      new KeyStoreFile(
          RestTlsOptions.ENABLED,
          RestTlsOptions.TRUSTSTORE,
          RestTlsOptions.TRUSTSTORE_PASSWORD,
          RestTlsOptions.TRUSTSTORE_TYPE);
  private static final KeyStoreFile KEYS =
      new KeyStoreFile(
          RestTlsOptions.AUTHENTICATION,
          RestTlsOptions.KEYSTORE,
          RestTlsOptions.KEYSTORE_PASSWORD,
          RestTlsOptions.KEYSTORE_TYPE);

  private final SSLContext context;
  private final TlsVersion version;
  private final boolean verifyHost;
  private final boolean showsCertificate;

  private RestClientTls(
      SSLContext context, TlsVersion version, boolean verifyHost, boolean showsCertificate) {
    this.context = Objects.requireNonNull(context);
    this.version = Objects.requireNonNull(version);
    this.verifyHost = verifyHost;
    this.showsCertificate = showsCertificate;
  }

  /** The configured settings; empty if TLS is disabled. */
  public static Optional<RestClientTls> of(Configuration configuration) {
    if (!configuration.get(RestTlsOptions.ENABLED)) {
      return Optional.empty();
    }
    boolean shows = RestTlsOptions.asksForCertificates(configuration);
    KeyManager[] keys =
        shows
            ? new KeyManager[] {KEYS.key(configuration, RestTlsOptions.KEY_PASSWORD)}
            : new KeyManager[0];
    return Optional.of(
        new RestClientTls(
            TlsVersion.context(keys, new TrustManager[] {SERVERS.trust(configuration)}),
            TlsVersion.of(configuration),
            configuration.get(RestTlsOptions.VERIFY_HOSTNAME),
            shows));
  }

  /** Whether the client has a certificate for servers that request one. */
  public boolean showsCertificate() {
    return showsCertificate;
  }

  /**
   * Wraps a connection in TLS. Closing the result closes the connection.
   *
   * @param host the host name that the certificate must have
   */
  public Socket over(Socket connection, String host, int port) throws IOException {
    SSLSocket encrypted =
        (SSLSocket) context.getSocketFactory().createSocket(connection, host, port, true);
    SSLParameters parameters = encrypted.getSSLParameters();
    parameters.setProtocols(new String[] {version.protocol()});
    if (!version.ciphers().isEmpty()) {
      parameters.setCipherSuites(version.ciphers().toArray(String[]::new));
    }
    if (verifyHost) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    encrypted.setSSLParameters(parameters);
    encrypted.startHandshake();
    return encrypted;
  }
}
