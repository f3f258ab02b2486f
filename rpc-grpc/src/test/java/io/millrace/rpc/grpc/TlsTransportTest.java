package io.millrace.rpc.grpc;

import static io.millrace.rpc.grpc.Receiver.next;
import static io.millrace.rpc.grpc.TestMessages.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.PortRange;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testtls.TestCertificate;
import io.millrace.core.tls.InternalTls;
import io.millrace.rpc.Transport;
import io.millrace.rpc.grpc.TestMessages.Beat;
import io.millrace.rpc.grpc.TestMessages.Ping;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The transport over TLS, and the connections that it rejects. */
final class TlsTransportTest extends TransportContract {
  private static final Bytes SECRET = Bytes.utf8("open sesame");

  @TempDir private static Path directory;
  private static TestCertificate ours;
  private static TestCertificate theirs;

  @BeforeAll
  static void make() throws IOException {
    ours = TestCertificate.make(directory, "ours");
    theirs = TestCertificate.make(directory, "theirs");
  }

  @Override
  Transport join() {
    return transport("127.0.0.1", 0, ours.configuration());
  }

  @Override
  Transport rejoin(String address) {
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    return transport("127.0.0.1", port, ours.configuration());
  }

  private static Transport transport(String bindHost, int port, Configuration tls) {
    return new GrpcTransport(
        new GrpcSettings(
            GrpcSettings.Role.TASK_MANAGER,
            bindHost,
            BindPorts.of(JobManagerOptions.PORT, PortRange.of(port)),
            "127.0.0.1",
            SECRET,
            InternalTls.of(tls)),
        TestMessages.CODEC,
        message -> message == Beat.class);
  }

  private void assertRefused(Transport caller, String... reasons) throws InterruptedException {
    Receiver server = new Receiver();
    Transport called = started(join(), server);
    Receiver client = new Receiver();
    started(caller, client).send(called.address(), call(1, new Ping(0, 0)));
    assertThat((String) next(client.lost).what()).contains("cannot connect").contains(reasons);
    assertThat(server.called).isEmpty();

    Receiver member = new Receiver();
    started(join(), member).send(called.address(), call(1, new Ping(3, 4)));
    assertThat(member.reply()).isEqualTo(new Ping(3, 4));
  }

  @Test
  void callerWithUntrustedCertificateIsRejected() throws Exception {
    assertRefused(transport("127.0.0.1", 0, theirs.trusting(ours)), "certificate");
  }

  @Test
  @Behaviour(
      "I4: TLS between processes refuses another certificate, a missing one and plain text, each"
          + " with the reason")
  void callerThatDoesNotTrustTheServerDoesNotConnect() throws Exception {
    assertRefused(
        transport("127.0.0.1", 0, ours.trusting(theirs)), "CN=ours", "internal.truststore");
  }

  @Test
  void callerWithoutTlsIsRejected() throws Exception {
    assertRefused(transport("127.0.0.1", 0, Configuration.EMPTY), "closed");
  }

  @Test
  @Behaviour(
      "I4: TLS between processes refuses another certificate, a missing one and plain text, each"
          + " with the reason")
  void bindsAddressBeyondLoopback() throws Exception {
    Receiver receiver = new Receiver();
    Transport everywhere = started(transport("0.0.0.0", 0, ours.configuration()), receiver);
    Receiver member = new Receiver();
    started(join(), member).send(everywhere.address(), call(1, new Ping(5, 6)));
    assertThat(member.reply()).isEqualTo(new Ping(5, 6));
  }
}
