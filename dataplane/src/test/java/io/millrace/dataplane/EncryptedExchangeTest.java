package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testtls.TestCertificate;
import io.millrace.core.tls.InternalTls;
import io.millrace.dataplane.wire.ConnectionTimeouts;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.io.Serializable;
import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.stream.LongStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records between hosts over TLS, and who is kept out by it. */
class EncryptedExchangeTest {
  private static final NetworkMemory MEMORY = new NetworkMemory(1 << 20, 8192);

  @TempDir private static Path directory;
  private static TestCertificate ours;
  private static TestCertificate theirs;

  @BeforeAll
  static void make() throws IOException {
    ours = TestCertificate.make(directory, "ours");
    theirs = TestCertificate.make(directory, "theirs");
  }

  private static DataPlane host(Configuration tls) {
    return new DataPlane(
        DataPlaneSettings.listening(
            2,
            new DataPort(
                "127.0.0.1",
                BindPorts.of(TaskManagerOptions.DATA_PORT, PortRange.of(0)),
                "127.0.0.1",
                Bytes.utf8("encrypted"),
                InternalTls.of(tls),
                new ConnectionTimeouts(
                    Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(50)),
                MEMORY)));
  }

  private static JobGraph numbers(long count) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, Fixtures.numbers(count));
    JobVertex sink =
        program.vertex("sink", 2, new OperatorSpec.Map(number -> "n" + number), Fixtures.collect());
    program.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
    return program.build();
  }

  private static void assertDelivers(DataPlane... hosts) {
    TestRun run = TestRun.start(numbers(50_000), hosts).awaitEnd();
    assertThat(run.failures()).isEmpty();
    assertThat(run.collected().stream().sorted().toList())
        .isEqualTo(LongStream.range(0, 50_000).mapToObj(n -> (Object) ("n" + n)).sorted().toList());
    for (DataPlane host : hosts) {
      run.await(
          "all buffers are back",
          () -> host.networkPool().orElseThrow().free() == MEMORY.buffers());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  @Behaviour(
      "I4: TLS between processes refuses another certificate, a missing one and plain text, each"
          + " with the reason")
  void carriesEveryRecord(String protocol) {
    Configuration tls = ours.configuration().with(TlsOptions.PROTOCOL, protocol);
    try (DataPlane first = host(tls);
        DataPlane second = host(tls)) {
      assertDelivers(first, second);
    }
  }

  /** The first failure of a job between a host of the cluster and another one. */
  private static String refusalOf(Configuration stranger) {
    try (DataPlane first = host(ours.configuration());
        DataPlane second = host(stranger)) {
      TestRun run = TestRun.start(numbers(50_000), first, second);
      run.await("sources failed", () -> run.count(TaskState.FAILED) >= 2);
      run.cancel();
      run.awaitEnd();
      assertThat(run.failures())
          .allSatisfy(failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.EXTERNAL));
      return String.join("\n", run.failures().stream().map(failure -> failure.message()).toList());
    }
  }

  @Test
  @Behaviour(
      "I4: TLS between processes refuses another certificate, a missing one and plain text, each"
          + " with the reason")
  void aHostWithAnotherCertificateIsRefused() {
    assertThat(refusalOf(theirs.trusting(ours)))
        .contains("CN=theirs", "security.ssl.internal.truststore");
  }

  @Test
  void aHostThatTrustsSomebodyElseIsRefused() {
    assertThat(refusalOf(ours.trusting(theirs)))
        .contains("CN=ours", "security.ssl.internal.truststore");
  }

  @Test
  @Behaviour(
      "I4: TLS between processes refuses another certificate, a missing one and plain text, each"
          + " with the reason")
  void aHostWithoutTlsIsRefused() {
    assertThat(refusalOf(Configuration.EMPTY)).contains("TLS");
  }

  @Test
  @Behaviour(
      "I4: TLS between processes refuses another certificate, a missing one and plain text, each"
          + " with the reason")
  void aCallerWithoutACertificateGetsNoWord() throws Exception {
    SSLContext nobody = SSLContext.getInstance("TLSv1.3");
    nobody.init(null, new TrustManager[] {new Gullible()}, null);
    try (DataPlane host = host(ours.configuration());
        DataPlane other = host(ours.configuration())) {
      String address = host.dataAddress();
      int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
      try (Socket socket = nobody.getSocketFactory().createSocket("127.0.0.1", port)) {
        socket.setSoTimeout(20_000);
        assertThatThrownBy(
                () -> {
                  ((SSLSocket) socket).startHandshake();
                  socket.getOutputStream().write(new byte[100]);
                  int read = socket.getInputStream().read();
                  throw new IOException("it said " + read);
                })
            .isInstanceOf(IOException.class)
            .hasMessageNotContaining("it said");
      }
      assertDelivers(host, other);
    }
  }

  private static final class Gullible implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
