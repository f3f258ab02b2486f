package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.testtls.TestCertificate;
import io.millrace.core.tls.KeyStoreFile;
import io.millrace.core.tls.TlsVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of servers that are not there, or speak something else. */
class QuorumDiagnosisTest {
  @TempDir static Path directory;
  private static TestCertificate shown;
  private static TestCertificate other;

  private ServerSocket server;

  @BeforeAll
  static void makeCertificates() throws IOException {
    shown = TestCertificate.make(directory, "shown");
    other = TestCertificate.make(directory, "other");
  }

  @AfterEach
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  /** What a server does with a connection. */
  private interface Protocol {
    void serve(Socket connection) throws IOException;
  }

  /** Accepts connections until the end of the test. */
  private String serve(ServerSocket listening, Protocol protocol) {
    server = listening;
    Thread thread =
        new Thread(
            () -> {
              while (!listening.isClosed()) {
                try (Socket connection = listening.accept()) {
                  protocol.serve(connection);
                } catch (IOException expected) {
                  // The client has found out what it wanted, or the test has ended.
                }
              }
            },
            "server");
    thread.setDaemon(true);
    thread.start();
    return address(listening);
  }

  private static String address(ServerSocket listening) {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  private static ServerSocket plain() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static ServerSocket encrypted() {
    KeyStoreFile store =
        new KeyStoreFile(
            ZooKeeperOptions.TLS,
            ZooKeeperOptions.TLS_KEYSTORE,
            ZooKeeperOptions.TLS_KEYSTORE_PASSWORD,
            ZooKeeperOptions.TLS_KEYSTORE_TYPE);
    KeyManager[] keys = {
      store.key(
          Configuration.EMPTY
              .with(ZooKeeperOptions.TLS_KEYSTORE, shown.store())
              .with(ZooKeeperOptions.TLS_KEYSTORE_PASSWORD, shown.password()),
          ZooKeeperOptions.TLS_KEYSTORE_PASSWORD)
    };
    try {
      return TlsVersion.context(keys, new TrustManager[0])
          .getServerSocketFactory()
          .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Configuration trusting(TestCertificate trusted) {
    return Configuration.EMPTY
        .with(ZooKeeperOptions.TLS, true)
        .with(ZooKeeperOptions.TLS_TRUSTSTORE, trusted.store())
        .with(ZooKeeperOptions.TLS_TRUSTSTORE_PASSWORD, trusted.password());
  }

  private static String reasons(String quorum) {
    return QuorumDiagnosis.reasons(quorum, Optional.empty());
  }

  private static String reasons(String quorum, Configuration tls) {
    return QuorumDiagnosis.reasons(quorum, ZooKeeperTls.of(tls));
  }

  /** Closes a port that nothing listens at then. */
  private static String refusing() throws IOException {
    try (ServerSocket closed = plain()) {
      return address(closed);
    }
  }

  @Test
  void eachServerIsNamedWithItsReasonInOrder() throws Exception {
    String refusing = refusing();

    assertThat(reasons("host.invalid:1," + refusing + "/chroot"))
        .startsWith("host.invalid:1 is not a known host, " + refusing + " cannot be reached (")
        .contains("refused");
  }

  @Test
  void serverThatSaysNothingDoesNotAnswer() throws Exception {
    server = plain();

    assertThat(reasons(address(server)))
        .isEqualTo(address(server) + " accepts connections, but does not answer");
    assertThat(reasons(address(server), trusting(other)))
        .isEqualTo(address(server) + " accepts connections, but does not answer");
  }

  @Test
  void serverThatShowsACertificateRequiresTls() {
    String address = serve(encrypted(), connection -> connection.getInputStream().read());

    assertThat(reasons(address))
        .isEqualTo(address + " requires TLS (high-availability.zookeeper.client.ssl.enabled)");
  }

  @Test
  void serverThatSpeaksSomethingElseDoesNotUseTls() throws Exception {
    String address =
        serve(
            plain(),
            connection -> {
              connection
                  .getOutputStream()
                  .write("HTTP/1.1 400\r\n".getBytes(StandardCharsets.UTF_8));
              connection.getInputStream().read();
            });

    assertThat(reasons(address)).endsWith("accepts connections, but does not answer");
    assertThat(reasons(address, trusting(shown)))
        .startsWith(
            address
                + " does not use TLS at this port"
                + " (high-availability.zookeeper.client.ssl.enabled)");
  }

  @Test
  void serverThatClosesConnectionsDoesNotUseTls() throws Exception {
    String address = serve(plain(), connection -> {});

    assertThat(reasons(address, trusting(shown))).contains("does not use TLS at this port");
  }

  @Test
  void unknownCertificateNamesTheTrustStore() {
    String address = serve(encrypted(), connection -> connection.getInputStream().read());

    assertThat(reasons(address, trusting(other)))
        .isEqualTo(
            address
                + " has a certificate that the trust store does not trust"
                + " (high-availability.zookeeper.client.ssl.truststore)");
  }

  @Test
  void certificateOfAnotherHostNamesTheOptionThatIgnoresIt() {
    String address = serve(encrypted(), connection -> connection.getInputStream().read());
    Configuration trusting = trusting(shown);

    assertThat(reasons(address, trusting))
        .startsWith(address + " has a certificate that is not valid")
        .contains(ZooKeeperOptions.TLS_VERIFY_HOSTNAME.key());
    assertThat(reasons(address, trusting.with(ZooKeeperOptions.TLS_VERIFY_HOSTNAME, false)))
        .endsWith("accepts connections, but does not answer");
  }
}
