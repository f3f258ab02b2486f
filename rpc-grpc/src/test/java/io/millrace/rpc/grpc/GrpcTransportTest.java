package io.millrace.rpc.grpc;

import static io.millrace.rpc.grpc.Receiver.next;
import static io.millrace.rpc.grpc.TestMessages.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Metadata;
import io.grpc.Status;
import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import io.millrace.rpc.grpc.TestMessages.Beat;
import io.millrace.rpc.grpc.TestMessages.Load;
import io.millrace.rpc.grpc.TestMessages.Ping;
import io.millrace.rpc.grpc.TestMessages.Stranger;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

final class GrpcTransportTest extends TransportContract {
  private static final Bytes SECRET = Bytes.utf8("open sesame");

  @Override
  Transport join() {
    return transport(0, SECRET);
  }

  @Override
  Transport rejoin(String address) {
    return transport(port(address), SECRET);
  }

  private static GrpcTransport transport(int port, Bytes secret) {
    return new GrpcTransport(
        GrpcSettings.loopback(GrpcSettings.Role.TASK_MANAGER, port, secret),
        TestMessages.CODEC,
        message -> message == Beat.class);
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  /** Asserts that another process can still call this one and gets an answer. */
  private void assertServes(Transport server) throws InterruptedException {
    Receiver receiver = new Receiver();
    Transport client = started(join(), receiver);
    client.send(server.address(), call(1, new Ping(9, 9)));
    assertThat(receiver.reply()).isEqualTo(new Ping(9, 9));
  }

  @Test
  void carriesMessagesUpToTheLimit() throws Exception {
    Receiver here = new Receiver();
    Transport a = started(join(), here);
    Transport b = started(join(), new Receiver());
    Load load = new Load(Bytes.wrap(new byte[GrpcTransport.MAX_MESSAGE_BYTES - 64]));

    a.send(b.address(), call(1, load));

    assertThat(here.reply()).isEqualTo(load);
  }

  @Test
  void reportsMessageThatCannotBeEncodedAndKeepsTheConnection() throws Exception {
    Receiver here = new Receiver();
    Transport a = started(join(), here);
    Transport b = started(join(), new Receiver());

    a.send(b.address(), call(1, new Load(Bytes.wrap(new byte[2 << 20]))));
    a.send(b.address(), call(2, new Stranger()));
    a.send(b.address(), call(3, new Ping(0, 3)));

    assertThat((String) next(here.undeliverable).what()).contains("1048576 bytes", "blob");
    assertThat((String) next(here.undeliverable).what()).contains("Stranger");
    assertThat(here.reply()).isEqualTo(new Ping(0, 3));
    assertThat(here.allLost).isEmpty();
  }

  @Test
  void sendsErrorForAnswerThatCannotBeEncoded() throws Exception {
    Receiver here = new Receiver();
    Transport a = started(join(), here);
    Transport b =
        started(
            join(),
            new Receiver(
                (call, reply) ->
                    reply.accept(
                        new Envelope.Reply(
                            call.correlation(), new Load(Bytes.wrap(new byte[2 << 20]))))));

    a.send(b.address(), call(5, new Ping(0, 0)));

    Envelope.Failed failed = (Envelope.Failed) next(here.answered).what();
    assertThat(failed.correlation()).isEqualTo(5);
    assertThat(failed.error().failure().message()).contains("1048576 bytes");
  }

  @Test
  void heartbeatsOvertakeABurstOfCalls() throws Exception {
    Receiver there = new Receiver();
    Transport a = started(join(), new Receiver());
    Transport b = started(join(), there);
    a.send(b.address(), call(1, new Beat(0)));
    next(there.called);
    Load load = new Load(Bytes.wrap(new byte[1 << 19]));

    for (int i = 0; i < 100; i++) {
      a.send(b.address(), call(i, load));
    }
    a.send(b.address(), call(200, new Beat(1)));

    int before = 0;
    while (!next(there.called).what().equals(new Beat(1))) {
      before++;
    }
    assertThat(before).isLessThan(100);
  }

  @Test
  void losesPeerThatDoesNotRead() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    Receiver here = new Receiver();
    Transport a = started(join(), here);
    Transport b =
        started(
            join(),
            new Receiver(
                (call, reply) -> {
                  try {
                    done.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
    try {
      Load load = new Load(Bytes.wrap(new byte[1 << 19]));
      for (int i = 0; i < 200 && here.allLost.isEmpty(); i++) {
        a.send(b.address(), call(i, load));
      }
      assertThat(next(here.lost))
          .isEqualTo(
              new Receiver.Callback(
                  b.address(), "it reads too slowly: more than 64 MiB are queued for it"));
    } finally {
      done.countDown();
    }
  }

  @Test
  void reportsThatTheSecretsDiffer() throws Exception {
    Receiver here = new Receiver();
    Receiver there = new Receiver();
    Transport stranger = started(transport(0, Bytes.utf8("open barley")), here);
    Transport b = started(join(), there);

    stranger.send(b.address(), call(1, new Ping(0, 0)));

    assertThat((String) next(here.lost).what())
        .contains("secrets of the two processes differ", "security.cluster-secret.file");
    assertThat(there.called).isEmpty();
    assertServes(b);
  }

  @Test
  void rejectsCallerWithoutSecret() throws Exception {
    Receiver there = new Receiver();
    Transport b = started(join(), there);

    try (RawCaller caller = new RawCaller(b.address())) {
      byte[] frame = TestMessages.CODEC.encode(call(1, new Ping(0, 0)));
      assertThat(caller.call(new Metadata(), frame).getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    assertThat(there.called).isEmpty();
    assertServes(b);
  }

  @Test
  void losesCallerThatSendsUndecodableMessage() throws Exception {
    Receiver there = new Receiver();
    Transport b = started(join(), there);

    for (byte[] frame : List.of(new byte[] {99, 1, 2, 3}, new byte[0], new byte[2 << 20])) {
      try (RawCaller caller = new RawCaller(b.address())) {
        assertThat(caller.call(caller.proof(SECRET), frame).isOk()).isFalse();
      }
      assertThat(next(there.lost).peer()).isEqualTo("127.0.0.1:1");
    }

    assertThat(there.called).isEmpty();
    assertServes(b);
  }

  @Test
  void servesAfterGarbageOnItsPort() throws Exception {
    Transport b = started(join(), new Receiver());
    byte[] noise = new byte[100_000];
    long seed = System.nanoTime();
    new Random(seed).nextBytes(noise);
    byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    byte[] noiseAfterPreface = new byte[noise.length + preface.length];
    System.arraycopy(preface, 0, noiseAfterPreface, 0, preface.length);
    System.arraycopy(noise, 0, noiseAfterPreface, preface.length, noise.length);
    byte[] web = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    for (byte[] garbage : List.of(noise, noiseAfterPreface, web)) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(b.address()))) {
        socket.setSoTimeout(20_000);
        assertThat(closedAfter(socket, garbage)).as("seed " + seed).isTrue();
      }
      assertServes(b);
    }
  }

  /** Whether the other side closes the connection. */
  private static boolean closedAfter(Socket socket, byte[] bytes) throws IOException {
    try {
      socket.getOutputStream().write(bytes);
      socket.getInputStream().readAllBytes();
    } catch (SocketException e) {
      return true;
    }
    return true;
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void servesDespiteManyIdleConnectionsAndClosesThem() throws Exception {
    Transport b = started(join(), new Receiver());
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 300; i++) {
        sockets.add(new Socket(InetAddress.getLoopbackAddress(), port(b.address())));
      }
      assertServes(b);
      for (Socket socket : sockets) {
        socket.setSoTimeout(30_000);
        assertThat(closedAfter(socket, new byte[0])).isTrue();
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void losesPeerThatAcceptsConnectionsAndSendsNothing() throws Exception {
    Receiver here = new Receiver();
    Transport a = started(join(), here);
    try (ServerSocket mute = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      a.send("127.0.0.1:" + mute.getLocalPort(), call(1, new Ping(0, 0)));

      assertThat((String) next(here.lost).what()).contains("cannot connect", "5000 ms");
    }
  }

  @Test
  void reportsMalformedAddress() throws Exception {
    Receiver here = new Receiver();
    Transport a = started(join(), here);

    for (String address : List.of("nonsense", "127.0.0.1:port", "127.0.0.1:99999")) {
      a.send(address, call(1, new Ping(0, 0)));
      assertThat((String) next(here.lost).what()).contains("is not an address");
    }
    a.send("no-such-host.invalid:1", call(1, new Ping(0, 0)));
    assertThat((String) next(here.lost).what()).contains("unknown");
  }

  @Test
  void rejectsAddressBeyondLoopbackWithoutTls() {
    for (GrpcSettings.Role role : GrpcSettings.Role.values()) {
      GrpcSettings settings =
          new GrpcSettings(
              role,
              "0.0.0.0",
              BindPorts.of(JobManagerOptions.PORT, PortRange.of(0)),
              "127.0.0.1",
              SECRET,
              Optional.empty());
      assertThatThrownBy(() -> new GrpcTransport(settings, TestMessages.CODEC, type -> false))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("without TLS")
          .hasMessageContaining(role.bindHostKey());
    }
    assertThat(GrpcSettings.Role.JOB_MANAGER.bindHostKey()).isEqualTo("jobmanager.bind-host");
    assertThat(GrpcSettings.Role.TASK_MANAGER.bindHostKey()).isEqualTo("taskmanager.bind-host");
  }

  @Test
  void bindsAFreePortOfARangeAndNamesTheRangeThatIsExhausted() {
    int first = port(started(join(), new Receiver()).address());
    Transport free = transport(0, SECRET);
    int second = port(free.address());
    free.close();
    Configuration configuration =
        Configuration.EMPTY.with(TaskManagerOptions.RPC_PORT, first + "," + second);

    Transport bound = started(transport(configuration), new Receiver());
    assertThat(bound.address()).endsWith(":" + second);
    assertThatThrownBy(() -> transport(configuration))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith(
            "None of the 2 ports " + first + "," + second + " (taskmanager.rpc.port) can be bound")
        .hasMessageContaining("Set taskmanager.rpc.port to a larger range");
  }

  @Test
  void advertisesTheOtherPortIfOneIsForBinding() {
    Transport free = transport(0, SECRET);
    int port = port(free.address());
    free.close();
    Transport bound =
        started(
            transport(
                Configuration.EMPTY
                    .with(TaskManagerOptions.RPC_BIND_PORT, port)
                    .with(TaskManagerOptions.RPC_PORT, 4711)),
            new Receiver());
    assertThat(bound.address()).endsWith(":4711");
  }

  private static Transport transport(Configuration configuration) {
    return new GrpcTransport(
        GrpcSettings.from(configuration, GrpcSettings.Role.TASK_MANAGER, SECRET),
        TestMessages.CODEC,
        type -> false);
  }

  @Test
  void namesThePortInUseAndItsOption() {
    Transport first = started(join(), new Receiver());
    int port = port(first.address());

    assertThatThrownBy(() -> transport(port, SECRET))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(":" + port)
        .hasMessageContaining("taskmanager.rpc.port");
  }

  @Test
  void toStringOmitsTheSecret() {
    assertThat(GrpcSettings.loopback(GrpcSettings.Role.JOB_MANAGER, 1, SECRET))
        .asString()
        .doesNotContain("sesame");
    assertThatThrownBy(() -> GrpcSettings.loopback(GrpcSettings.Role.JOB_MANAGER, 1, Bytes.EMPTY))
        .hasMessageContaining("security.cluster-secret.file");
  }
}
