package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.HostPort;
import io.millrace.client.RestClusterClient;
import io.millrace.cluster.inspect.ProcessInspector;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testtls.TestAuthority;
import io.millrace.rest.BlobSink;
import io.millrace.rest.Inspection;
import io.millrace.rest.JarRunner;
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

/** A REST server and the client of the command line, each with and without TLS. */
class RestOverTlsTest {
  /** The error of a server without a leader, which shows that the request was served. */
  private static final String SERVED = "has no leader at the moment";

  @TempDir private Path directory;
  private final LiveEnv env = new LiveEnv("rest");
  private final Rpc rpc =
      new Rpc(env, new InProcessNetwork().join("jobmanager"), Duration.ofSeconds(1));
  private Optional<RestServer> server = Optional.empty();
  private TestAuthority trusted;
  private TestAuthority untrusted;

  @BeforeEach
  void make() {
    trusted = TestAuthority.make(directory);
    untrusted = TestAuthority.make(directory);
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
  void servesClientsThatTrustItsCertificate(String protocol) throws Exception {
    int port = serve(trusted.rest("localhost").with("security.ssl.protocol", protocol));
    assertThat(call(port, trusted.rest("client").with("security.ssl.protocol", protocol)))
        .hasMessageContaining(SERVED);
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void clientRejectsUntrustedServer() throws Exception {
    int port = serve(untrusted.rest("localhost"));
    assertError(call(port, trusted.rest("client")), "security.ssl.rest.truststore trusts");
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void clientRejectsCertificateOfOtherHost() throws Exception {
    int port = serve(trusted.rest("elsewhere"));
    Configuration client = trusted.rest("client");
    assertError(call(port, client), "another host", "security.ssl.verify-hostname");
    assertThat(call(port, client.with(RestTlsOptions.VERIFY_HOSTNAME, false)))
        .hasMessageContaining(SERVED);
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void serverRequiresClientCertificate() throws Exception {
    int port = serve(trusted.rest("localhost").with(RestTlsOptions.AUTHENTICATION, true));
    Configuration client = trusted.rest("client");
    assertThat(call(port, client.with(RestTlsOptions.AUTHENTICATION, true)))
        .hasMessageContaining(SERVED);
    assertThat(call(port, client))
        .hasMessageContaining("security.ssl.rest.authentication-enabled")
        .hasMessageNotContaining(SERVED);
    Configuration other =
        client
            .with(RestTlsOptions.AUTHENTICATION, true)
            .with(RestTlsOptions.KEYSTORE, untrusted.rest("other").get(RestTlsOptions.KEYSTORE));
    assertThat(call(port, other)).isNotNull().hasMessageNotContaining(SERVED);
  }

  @Test
  void clientCertificateReplacesTokenBeyondLoopback() throws Exception {
    int port =
        serve(byCertificate(trusted.rest("localhost")).with(RestOptions.BIND_ADDRESS, "0.0.0.0"));
    assertThat(call(port, byCertificate(trusted.rest("client")))).hasMessageContaining(SERVED);
    assertThat(call(port, trusted.rest("client"))).hasMessageNotContaining(SERVED);
    Configuration other =
        byCertificate(trusted.rest("client"))
            .with(RestTlsOptions.KEYSTORE, untrusted.rest("other").get(RestTlsOptions.KEYSTORE));
    assertThat(call(port, other)).isNotNull().hasMessageNotContaining(SERVED);
  }

  @Test
  void closesConnectionWithoutHandshake() throws Exception {
    int port =
        serve(
            trusted
                .rest("localhost")
                .with(RestOptions.FIRST_REQUEST_TIMEOUT, Duration.ofMillis(300)));
    try (Socket silent = new Socket("localhost", port);
        Socket slow = new Socket("localhost", port)) {
      silent.setSoTimeout(60_000);
      slow.setSoTimeout(60_000);
      // The first bytes of a handshake.
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
  void clientWithoutTlsSuggestsTls() throws Exception {
    int port = serve(trusted.rest("localhost"));
    assertThat(call(port, Configuration.EMPTY))
        .hasMessageContainingAll("Does it serve over TLS", "security.ssl.rest.enabled");
  }

  @Test
  @Behaviour(
      "I4: REST over TLS checks certificate and host, and each mismatch names the option to look"
          + " at")
  void clientWithTlsReportsServerWithoutTls() throws Exception {
    int port = serve(Configuration.EMPTY);
    assertError(
        call(port, trusted.rest("client")),
        "does not serve over TLS",
        "security.ssl.rest.enabled to false");
  }

  private int serve(Configuration configuration) throws Exception {
    RestServer created =
        new RestServer(
            rpc,
            new EmbeddedLeaderElection(env),
            RestSettings.of(
                configuration.with(RestOptions.ADDRESS, "localhost").with(RestOptions.PORT, 0),
                directory),
            new RestServer.Backing(
                new NoBlobs(),
                new NoPrograms(),
                Inspection.of(
                    configuration,
                    ProcessInspector.ofJobManager(env, configuration, Optional.empty())),
                Optional::empty));
    server = Optional.of(created);
    String address = created.start().get(60, TimeUnit.SECONDS);
    return HostPort.parse(address).port();
  }

  /** The error of a call. There is always one, because the server has no leader. */
  private static MillraceException call(int port, Configuration configuration) {
    try (RestClusterClient client =
        RestClusterClient.at(new HostPort("localhost", port), configuration)) {
      return catchThrowableOfType(MillraceException.class, client::workers);
    }
  }

  private static void assertError(MillraceException failure, String... parts) {
    assertThat(failure).hasMessageContainingAll(parts);
    assertThat(failure.kind()).isEqualTo(ErrorKind.USER);
  }

  private static final class NoPrograms implements JarRunner {
    @Override
    public CompletableFuture<JobId> run(JarRun request) {
      return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    @Override
    public CompletableFuture<String> plan(JarRun request) {
      return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }
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

    @Override
    public long storedBytes() {
      return 0;
    }
  }
}
