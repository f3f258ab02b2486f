package io.millrace.ha.zookeeper;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.tls.KeyStoreFile;
import io.millrace.core.tls.TlsVersion;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;

/** TLS to the servers of ZooKeeper. The files are read when it is created. */
final class ZooKeeperTls {
  private static final KeyStoreFile SERVERS =
      new KeyStoreFile(
          ZooKeeperOptions.TLS,
          ZooKeeperOptions.TLS_TRUSTSTORE,
          ZooKeeperOptions.TLS_TRUSTSTORE_PASSWORD,
          ZooKeeperOptions.TLS_TRUSTSTORE_TYPE);
  private static final KeyStoreFile KEYS =
      new KeyStoreFile(
          ZooKeeperOptions.TLS,
          ZooKeeperOptions.TLS_KEYSTORE,
          ZooKeeperOptions.TLS_KEYSTORE_PASSWORD,
          ZooKeeperOptions.TLS_KEYSTORE_TYPE);

  private final Configuration configuration;
  private final TlsVersion version;
  private final SSLContext context;

  private ZooKeeperTls(Configuration configuration, TlsVersion version, SSLContext context) {
    this.configuration = configuration;
    this.version = version;
    this.context = context;
  }

  /** Empty if TLS is disabled. */
  static Optional<ZooKeeperTls> of(Configuration configuration) {
    if (!configuration.get(ZooKeeperOptions.TLS)) {
      return Optional.empty();
    }
    TrustManager[] trust = {SERVERS.trust(configuration)};
    KeyManager[] keys =
        showsCertificate(configuration)
            ? new KeyManager[] {KEYS.key(configuration, ZooKeeperOptions.TLS_KEYSTORE_PASSWORD)}
            : new KeyManager[0];
    return Optional.of(
        new ZooKeeperTls(
            configuration, TlsVersion.of(configuration), TlsVersion.context(keys, trust)));
  }

  private static boolean showsCertificate(Configuration configuration) {
    return configuration.find(ZooKeeperOptions.TLS_KEYSTORE).isPresent();
  }

  /** Writes the settings of ZooKeeper's client. Only its connections over Netty have TLS. */
  void configure(ZKClientConfig client) {
    client.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
    client.setProperty(
        ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
    try (ClientX509Util names = new ClientX509Util()) {
      client.setProperty(
          names.getSslTruststoreLocationProperty(), file(ZooKeeperOptions.TLS_TRUSTSTORE));
      client.setProperty(
          names.getSslTruststorePasswdProperty(),
          configuration.get(ZooKeeperOptions.TLS_TRUSTSTORE_PASSWORD));
      client.setProperty(names.getSslTruststoreTypeProperty(), type(SERVERS));
      if (showsCertificate(configuration)) {
        client.setProperty(
            names.getSslKeystoreLocationProperty(), file(ZooKeeperOptions.TLS_KEYSTORE));
        client.setProperty(
            names.getSslKeystorePasswdProperty(),
            configuration.get(ZooKeeperOptions.TLS_KEYSTORE_PASSWORD));
        client.setProperty(names.getSslKeystoreTypeProperty(), type(KEYS));
      }
      client.setProperty(names.getSslProtocolProperty(), version.protocol());
      client.setProperty(names.getSslEnabledProtocolsProperty(), version.protocol());
      if (!version.ciphers().isEmpty()) {
        client.setProperty(names.getSslCipherSuitesProperty(), String.join(",", version.ciphers()));
      }
      client.setProperty(
          names.getSslHostnameVerificationEnabledProperty(), String.valueOf(verifiesHostName()));
    }
  }

  private String file(Option<String> option) {
    return Path.of(configuration.get(option)).toAbsolutePath().toString();
  }

  private String type(KeyStoreFile file) {
    return file.type(configuration).toUpperCase(Locale.ROOT);
  }

  private boolean verifiesHostName() {
    return configuration.get(ZooKeeperOptions.TLS_VERIFY_HOSTNAME);
  }

  /** Does the handshake of a connection, to find out why it fails. */
  SSLSocket over(Socket connection, String host, int port) throws IOException {
    SSLSocket encrypted =
        (SSLSocket) context.getSocketFactory().createSocket(connection, host, port, true);
    SSLParameters parameters = encrypted.getSSLParameters();
    parameters.setProtocols(new String[] {version.protocol()});
    if (!version.ciphers().isEmpty()) {
      parameters.setCipherSuites(version.ciphers().toArray(String[]::new));
    }
    if (verifiesHostName()) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    encrypted.setSSLParameters(parameters);
    encrypted.startHandshake();
    return encrypted;
  }
}
