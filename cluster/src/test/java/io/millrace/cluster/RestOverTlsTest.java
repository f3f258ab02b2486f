package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testtls.TestAuthority;
import io.millrace.rest.BlobSink;
import io.millrace.rest.RestServer;
import io.millrace.rest.RestSettings;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import io.millrace.rpc.live.LiveEnv;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A REST server and the client of the command line, with and without TLS on either side. */
class RestOverTlsTest {
  /** What a server says behind which nobody leads. */
  private static final String SERVED = "has no leader at the moment";

  @TempDir private Path directory;
  private final LiveEnv env = new LiveEnv("rest");
  private final Rpc rpc =
      new Rpc(env, new InProcessNetwork().join("jobmanager"), Duration.ofSeconds(1));
  private Optional<RestServer> server = Optional.empty();
  private TestAuthority ours;
  private TestAuthority theirs;

  @BeforeEach
  void make() {
    ours = TestAuthority.make(directory);
    theirs = TestAuthority.make(directory);
  }

  @AfterEach
  void stop() throws Exception {
    if (server.isPresent()) {
      server.get().stop().get(60, TimeUnit.SECONDS);
    }
    rpc.close();
    env.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void servesThoseWhoTrustItsCertificate(String protocol) throws Exception {
    int port = serve(ours.rest("localhost").with("security.ssl.protocol", protocol));
    assertThat(call(port, ours.rest("somebody").with("security.ssl.protocol", protocol)))
        .hasMessageContaining(SERVED);
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void clientDoesNotTalkToAStranger() throws Exception {
    int port = serve(theirs.rest("localhost"));
    assertWrong(call(port, ours.rest("somebody")), "security.ssl.rest.truststore trusts");
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void clientDoesNotTalkToAnotherHost() throws Exception {
    int port = serve(ours.rest("elsewhere"));
    Configuration client = ours.rest("somebody");
    assertWrong(call(port, client), "another host", "security.ssl.verify-hostname");
    assertThat(call(port, client.with(RestTlsOptions.VERIFY_HOSTNAME, false)))
        .hasMessageContaining(SERVED);
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void serverServesOnlyWhoShowsACertificateWhereItAsks() throws Exception {
    int port = serve(ours.rest("localhost").with(RestTlsOptions.AUTHENTICATION, true));
    Configuration client = ours.rest("somebody");
    assertThat(call(port, client.with(RestTlsOptions.AUTHENTICATION, true)))
        .hasMessageContaining(SERVED);
    assertThat(call(port, client))
        .hasMessageContaining("security.ssl.rest.authentication-enabled")
        .hasMessageNotContaining(SERVED);
    Configuration stranger =
        client
            .with(RestTlsOptions.AUTHENTICATION, true)
            .with(RestTlsOptions.KEYSTORE, theirs.rest("stranger").get(RestTlsOptions.KEYSTORE));
    assertThat(call(port, stranger)).isNotNull().hasMessageNotContaining(SERVED);
  }

  @Test
  void certificateTakesTheTokensPlaceBeyondLoopback() throws Exception {
    int port =
        serve(byCertificate(ours.rest("localhost")).with(RestOptions.BIND_ADDRESS, "0.0.0.0"));
    assertThat(call(port, byCertificate(ours.rest("somebody")))).hasMessageContaining(SERVED);
    assertThat(call(port, ours.rest("somebody"))).hasMessageNotContaining(SERVED);
    Configuration stranger =
        byCertificate(ours.rest("somebody"))
            .with(RestTlsOptions.KEYSTORE, theirs.rest("stranger").get(RestTlsOptions.KEYSTORE));
    assertThat(call(port, stranger)).isNotNull().hasMessageNotContaining(SERVED);
  }

  @Test
  void closesAConnectionThatDoesNotShakeHands() throws Exception {
    int port =
        serve(
            ours.rest("localhost").with(RestOptions.FIRST_REQUEST_TIMEOUT, Duration.ofMillis(300)));
    try (Socket silent = new Socket("localhost", port);
        Socket slow = new Socket("localhost", port)) {
      silent.setSoTimeout(60_000);
      slow.setSoTimeout(60_000);
      // The beginning of a handshake.
      slow.getOutputStream().write(new byte[] {22, 3, 1, 2});
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
      assertThat(slow.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static Configuration byCertificate(Configuration configuration) {
    return configuration.with(SecurityOptions.REST_AUTHENTICATION, RestAuthentication.MTLS);
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void clientWithoutTlsIsAskedWhetherTheServerHasIt() throws Exception {
    int port = serve(ours.rest("localhost"));
    assertThat(call(port, Configuration.EMPTY))
        .hasMessageContainingAll("Does it serve over TLS", "security.ssl.rest.enabled");
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void clientWithTlsIsToldThatTheServerHasNone() throws Exception {
    int port = serve(Configuration.EMPTY);
    assertWrong(
        call(port, ours.rest("somebody")),
        "does not serve over TLS",
        "security.ssl.rest.enabled to false");
  }

  private int serve(Configuration configuration) throws Exception {
    RestServer made =
        new RestServer(
            rpc,
            new EmbeddedLeaderElection(env),
            RestSettings.of(
                configuration.with(RestOptions.ADDRESS, "localhost").with(RestOptions.PORT, 0),
                directory),
            new NoBlobs(),
            run -> CompletableFuture.failedFuture(new UnsupportedOperationException()));
    server = Optional.of(made);
    String address = made.start().get(60, TimeUnit.SECONDS);
    return HostPort.parse(address).port();
  }

  /** What comes of a call: never what was asked for, because nobody leads here. */
  private static MillraceException call(int port, Configuration configuration) {
    try (RestClusterClient client =
        RestClusterClient.at(new HostPort("localhost", port), configuration)) {
      return catchThrowableOfType(MillraceException.class, client::workers);
    }
  }

  private static void assertWrong(MillraceException failure, String... parts) {
    assertThat(failure).hasMessageContainingAll(parts);
    assertThat(failure.kind()).isEqualTo(ErrorKind.USER);
  }

  private static final class NoBlobs implements BlobSink {
    @Override
    public BlobKey put(InputStream content) throws IOException {
      throw new IOException("There is no room here");
    }

    @Override
    public boolean contains(BlobKey key) {
      return false;
    }
  }
}
