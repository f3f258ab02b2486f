package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testtls.TestCertificate;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options of TLS, and what becomes of them in ZooKeeper's client. */
class ZooKeeperTlsTest {
  @TempDir static Path directory;
  private static TestCertificate certificate;

  @BeforeAll
  static void makeCertificate() throws Exception {
    certificate = TestCertificate.make(directory, "server");
  }

  private static Configuration enabled() {
    return Configuration.EMPTY
        .with(ZooKeeperOptions.TLS, true)
        .with(ZooKeeperOptions.TLS_TRUSTSTORE, certificate.store())
        .with(ZooKeeperOptions.TLS_TRUSTSTORE_PASSWORD, certificate.password());
  }

  private static ZKClientConfig client(Configuration configuration) {
    ZKClientConfig client = new ZKClientConfig();
    ZooKeeperTls.of(configuration).orElseThrow().configure(client);
    return client;
  }

  private static void assertRefused(Configuration configuration, String option) {
    assertThatThrownBy(() -> ZooKeeperTls.of(configuration))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(option)
        .hasMessageNotContaining(certificate.password());
  }

  @Test
  void disabledTlsReadsNoFiles() {
    assertThat(
            ZooKeeperTls.of(
                Configuration.EMPTY.with(ZooKeeperOptions.TLS_TRUSTSTORE, "/does/not/exist")))
        .isEmpty();
  }

  @Test
  void clientUsesNettyAndTheTrustStore() {
    try (ClientX509Util names = new ClientX509Util()) {
      ZKClientConfig client = client(enabled());

      assertThat(client.getProperty(ZKClientConfig.SECURE_CLIENT)).isEqualTo("true");
      assertThat(client.getProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET))
          .isEqualTo(ClientCnxnSocketNetty.class.getName());
      assertThat(client.getProperty(names.getSslTruststoreLocationProperty()))
          .isEqualTo(certificate.store().toAbsolutePath().toString());
      assertThat(client.getProperty(names.getSslTruststorePasswdProperty()))
          .isEqualTo(certificate.password());
      assertThat(client.getProperty(names.getSslTruststoreTypeProperty())).isEqualTo("PKCS12");
      assertThat(client.getProperty(names.getSslKeystoreLocationProperty())).isNull();
      assertThat(client.getProperty(names.getSslHostnameVerificationEnabledProperty()))
          .isEqualTo("true");
    }
  }

  @Test
  void clientShowsItsCertificateIfAKeyStoreIsSet() {
    try (ClientX509Util names = new ClientX509Util()) {
      ZKClientConfig client =
          client(
              enabled()
                  .with(ZooKeeperOptions.TLS_KEYSTORE, certificate.store())
                  .with(ZooKeeperOptions.TLS_KEYSTORE_PASSWORD, certificate.password())
                  .with(ZooKeeperOptions.TLS_VERIFY_HOSTNAME, false));

      assertThat(client.getProperty(names.getSslKeystoreLocationProperty()))
          .isEqualTo(certificate.store().toAbsolutePath().toString());
      assertThat(client.getProperty(names.getSslKeystorePasswdProperty()))
          .isEqualTo(certificate.password());
      assertThat(client.getProperty(names.getSslKeystoreTypeProperty())).isEqualTo("PKCS12");
      assertThat(client.getProperty(names.getSslHostnameVerificationEnabledProperty()))
          .isEqualTo("false");
    }
  }

  @Test
  void clientUsesTheProtocolAndCiphersOfTheCluster() {
    try (ClientX509Util names = new ClientX509Util()) {
      ZKClientConfig client =
          client(
              enabled()
                  .with(TlsOptions.PROTOCOL.key(), "TLSv1.2")
                  .with(
                      TlsOptions.ALGORITHMS.key(),
                      "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;"
                          + "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"));

      assertThat(client.getProperty(names.getSslProtocolProperty())).isEqualTo("TLSv1.2");
      assertThat(client.getProperty(names.getSslEnabledProtocolsProperty())).isEqualTo("TLSv1.2");
      assertThat(client.getProperty(names.getSslCipherSuitesProperty()))
          .isEqualTo(
              "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384");
    }
  }

  @Test
  void missingOrUnreadableFilesNameTheirOption() throws Exception {
    assertRefused(
        Configuration.EMPTY.with(ZooKeeperOptions.TLS, true),
        ZooKeeperOptions.TLS_TRUSTSTORE.key());
    assertRefused(
        enabled().with(ZooKeeperOptions.TLS_TRUSTSTORE, directory.resolve("missing.p12")),
        ZooKeeperOptions.TLS_TRUSTSTORE.key());
    assertRefused(
        enabled()
            .with(
                ZooKeeperOptions.TLS_TRUSTSTORE,
                Files.write(directory.resolve("damaged.p12"), new byte[] {1, 2, 3})),
        ZooKeeperOptions.TLS_TRUSTSTORE.key());
    assertRefused(
        enabled().with(ZooKeeperOptions.TLS_KEYSTORE, certificate.store()),
        ZooKeeperOptions.TLS_KEYSTORE_PASSWORD.key());
    assertRefused(
        enabled()
            .with(ZooKeeperOptions.TLS_KEYSTORE, certificate.store())
            .with(ZooKeeperOptions.TLS_KEYSTORE_PASSWORD, "wrong"),
        ZooKeeperOptions.TLS_KEYSTORE.key());
  }
}
