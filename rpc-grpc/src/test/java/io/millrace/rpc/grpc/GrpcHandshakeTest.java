package io.millrace.rpc.grpc;

import static io.millrace.rpc.grpc.Receiver.next;
import static io.millrace.rpc.grpc.TestMessages.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.millrace.core.Bytes;
import io.millrace.core.secret.SecretProof;
import io.millrace.rpc.grpc.TestMessages.Beat;
import io.millrace.rpc.grpc.TestMessages.Ping;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers without the secret, on either side of a connection, learn nothing and execute nothing. */
final class GrpcHandshakeTest {
  private static final Bytes SECRET = Bytes.utf8("open sesame, and quickly");
  private static final byte[] FRAME = TestMessages.CODEC.encode(call(1, new Ping(0, 0)));
  private final List<GrpcTransport> open = new ArrayList<>();
  private final Receiver receiver = new Receiver();

  @AfterEach
  void closeAll() {
    open.forEach(GrpcTransport::close);
  }

  private GrpcTransport transport(Receiver receiver) {
    GrpcTransport transport =
        new GrpcTransport(
            GrpcSettings.loopback(GrpcSettings.Role.TASK_MANAGER, 0, SECRET),
            TestMessages.CODEC,
            message -> message == Beat.class);
    open.add(transport);
    transport.start(receiver);
    return transport;
  }

  /** A server without the secret that records everything it receives. */
  private static final class Rogue implements ServerCallHandler<byte[], byte[]>, AutoCloseable {
    final List<Metadata> headers = new CopyOnWriteArrayList<>();
    final List<String> streams = new CopyOnWriteArrayList<>();
    final List<byte[]> messages = new CopyOnWriteArrayList<>();
    private final UnaryOperator<Metadata> answer;
    private final Server server;
    private final String address;

    /**
     * @param answer returns the headers of its answer to a hello
     */
    Rogue(UnaryOperator<Metadata> answer) throws IOException {
      this(0, answer);
    }

    Rogue(int port, UnaryOperator<Metadata> answer) throws IOException {
      this.answer = answer;
      server =
          NettyServerBuilder.forAddress(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
              .addService(
                  ServerServiceDefinition.builder(GrpcMethods.SERVICE)
                      .addMethod(GrpcMethods.HELLO, this)
                      .addMethod(GrpcMethods.CALLS, this)
                      .addMethod(GrpcMethods.HEARTBEATS, this)
                      .build())
              .build()
              .start();
      address = "127.0.0.1:" + server.getPort();
    }

    String address() {
      return address;
    }

    @Override
    public ServerCall.Listener<byte[]> startCall(
        ServerCall<byte[], byte[]> call, Metadata received) {
      headers.add(received);
      streams.add(call.getMethodDescriptor().getBareMethodName());
      call.request(Integer.MAX_VALUE);
      call.sendHeaders(answer.apply(received));
      return new ServerCall.Listener<>() {
        @Override
        public void onMessage(byte[] message) {
          messages.add(message);
        }
      };
    }

    @Override
    public void close() {
      server.shutdownNow();
    }
  }

  private static boolean contains(List<Metadata> headers, Bytes secret) {
    return headers.stream()
        .flatMap(one -> one.keys().stream().map(key -> value(one, key)))
        .anyMatch(
            value -> value.contains(new String(secret.unsafeArray(), StandardCharsets.ISO_8859_1)));
  }

  private static String value(Metadata headers, String key) {
    return key.endsWith(Metadata.BINARY_HEADER_SUFFIX)
        ? new String(
            headers.get(Metadata.Key.of(key, Metadata.BINARY_BYTE_MARSHALLER)),
            StandardCharsets.ISO_8859_1)
        : headers.get(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER));
  }

  @Test
  void rogueServerSeesNeitherTheSecretNorACall() throws Exception {
    Bytes nonce = SecretProof.nonce(new SecureRandom());
    GrpcTransport caller = transport(receiver);
    for (UnaryOperator<Metadata> answer :
        List.<UnaryOperator<Metadata>>of(
            received -> new Metadata(),
            received -> ConnectionHandshake.answer(nonce, Bytes.EMPTY),
            received ->
                ConnectionHandshake.answer(
                    ConnectionHandshake.nonce(received), ConnectionHandshake.nonce(received)),
            received -> ConnectionHandshake.answer(nonce, Bytes.wrap(new byte[SecretProof.BYTES])),
            received -> ConnectionHandshake.answer(Bytes.utf8("short"), nonce))) {
      try (Rogue rogue = new Rogue(answer)) {
        caller.send(rogue.address(), call(1, new Ping(0, 0)));
        caller.send(rogue.address(), call(2, new Beat(1)));

        Receiver.Callback lost = next(receiver.lost);
        assertThat(lost.peer()).isEqualTo(rogue.address());
        assertThat((String) lost.what())
            .contains("secrets of the two processes differ", "security.cluster-secret.file");
        assertThat(rogue.streams).isNotEmpty().containsOnly("Hello");
        assertThat(rogue.messages).isEmpty();
        assertThat(contains(rogue.headers, SECRET)).isFalse();
      }
    }
  }

  /** The rogue server relays the hello to a process of the cluster. */
  @Test
  void proofCannotBeRelayed() throws Exception {
    GrpcTransport truth = transport(new Receiver());
    GrpcTransport caller = transport(receiver);
    try (RawCaller between = new RawCaller(truth.address());
        Rogue asItCame = new Rogue(received -> relayed(between, received));
        Rogue readdressed =
            new Rogue(
                received ->
                    relayed(
                        between,
                        ConnectionHandshake.opening(
                            ConnectionHandshake.caller(received),
                            truth.address(),
                            ConnectionHandshake.nonce(received))))) {
      for (Rogue rogue : List.of(asItCame, readdressed)) {
        caller.send(rogue.address(), call(1, new Ping(0, 0)));

        assertThat((String) next(receiver.lost).what()).contains("secrets");
        assertThat(rogue.streams).containsOnly("Hello");
        assertThat(rogue.messages).isEmpty();
      }
    }
  }

  private static Metadata relayed(RawCaller between, Metadata opening) {
    try {
      between.ended(GrpcMethods.HELLO, opening, new byte[0]);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    Metadata answer = new Metadata();
    between.received.forEach(
        headers -> {
          if (ConnectionHandshake.nonce(headers).length() > 0) {
            answer.merge(
                ConnectionHandshake.answer(
                    ConnectionHandshake.nonce(headers), ConnectionHandshake.proof(headers)));
          }
        });
    between.received.clear();
    return answer;
  }

  /** The first peer is authentic and closes; another process binds its port. */
  @Test
  void processThatTakesOverThePortOfAnAuthenticatedPeerGetsNoStream() throws Exception {
    boolean replaced = false;
    for (int attempt = 0; attempt < 50 && !replaced; attempt++) {
      replaced = laterListenerGetsNoStream();
    }
    assertThat(replaced).isTrue();
  }

  /** Returns false if the first peer has accepted the second stream before it closed. */
  private boolean laterListenerGetsNoStream() throws Exception {
    GrpcTransport caller = transport(receiver);
    AtomicReference<String> address = new AtomicReference<>("");
    try (Rogue first = new Rogue(received -> authentic(received, address.get()))) {
      address.set(first.address());
      caller.send(first.address(), call(1, new Ping(0, 0)));
      await(() -> !first.messages.isEmpty());
      int before = first.messages.size();
      first.server.shutdown();
      int port = Integer.parseInt(first.address().split(":")[1]);
      try (Rogue second = atFreed(port)) {
        caller.send("127.0.0.1:" + port, call(2, new Beat(1)));

        await(() -> !receiver.lost.isEmpty() || first.messages.size() > before);
        assertThat(second.messages).isEmpty();
        return !receiver.lost.isEmpty();
      }
    }
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  /** A rogue that accepts every stream, at a port that becomes free. */
  private static Rogue atFreed(int port) {
    List<Rogue> made = new ArrayList<>();
    await(
        () -> {
          try {
            made.add(new Rogue(port, received -> new Metadata()));
            return true;
          } catch (IOException e) {
            return false;
          }
        });
    return made.get(0);
  }

  private static Metadata authentic(Metadata received, String address) {
    Bytes nonce = SecretProof.nonce(new SecureRandom());
    return ConnectionHandshake.nonce(received).isEmpty()
        ? new Metadata()
        : ConnectionHandshake.answer(
            nonce,
            SecretProof.of(
                SECRET,
                SecretProof.Side.CALLED,
                ConnectionHandshake.transcript(
                    ConnectionHandshake.caller(received),
                    address,
                    ConnectionHandshake.nonce(received),
                    nonce)));
  }

  @Test
  void rogueClientLearnsNothingAndMakesNoCall() throws Exception {
    GrpcTransport server = transport(receiver);
    try (RawCaller rogue = new RawCaller(server.address())) {
      Metadata answer = rogue.hello();
      assertThat(ConnectionHandshake.proof(answer).length()).isEqualTo(SecretProof.BYTES);
      for (Bytes shown :
          List.of(
              Bytes.EMPTY,
              ConnectionHandshake.proof(answer),
              ConnectionHandshake.nonce(answer),
              ConnectionHandshake.proof(answer).slice(0, 31),
              ConnectionHandshake.proof(rogue.proof(Bytes.utf8("open barley, and quickly"))))) {
        rogue.hello();
        assertThat(rogue.call(ConnectionHandshake.proof(shown), FRAME).getCode())
            .isEqualTo(Status.Code.UNAUTHENTICATED);
      }
      assertThat(contains(rogue.received, SECRET)).isFalse();
    }
    assertThat(receiver.called).isEmpty();
    assertThat(receiver.allLost).isEmpty();
  }

  @Test
  void proofIsRejectedOnAnotherConnectionAndAfterAnotherHello() throws Exception {
    GrpcTransport server = transport(receiver);
    Metadata proof;
    Bytes nonce;
    try (RawCaller first = new RawCaller(server.address())) {
      proof = first.proof(SECRET);
      nonce = first.nonce;
      first.hello();
      assertThat(first.call(proof, FRAME).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }
    try (RawCaller second = new RawCaller(server.address())) {
      assertThat(second.call(proof, FRAME).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      second.hello(ConnectionHandshake.opening(RawCaller.ADDRESS, server.address(), nonce));
      assertThat(second.call(proof, FRAME).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }
    assertThat(receiver.called).isEmpty();
  }

  @Test
  void afterAWrongProofTheNextNeedsAnotherHello() throws Exception {
    GrpcTransport server = transport(receiver);
    try (RawCaller caller = new RawCaller(server.address())) {
      Metadata proof = caller.proof(SECRET);
      caller.call(new Metadata(), FRAME);
      assertThat(caller.call(proof, FRAME).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }
    assertThat(receiver.called).isEmpty();
  }

  @Test
  void rejectsMalformedHello() throws Exception {
    GrpcTransport server = transport(receiver);
    Bytes nonce = SecretProof.nonce(new SecureRandom());
    try (RawCaller caller = new RawCaller(server.address())) {
      for (Metadata opening :
          List.of(
              new Metadata(),
              ConnectionHandshake.opening("127.0.0.1:1", server.address(), nonce.slice(0, 5)),
              ConnectionHandshake.opening("", server.address(), nonce),
              ConnectionHandshake.opening("a:1\nINFO b", server.address(), nonce),
              ConnectionHandshake.opening("127.0.0.1:1", "127.0.0.1:1", nonce))) {
        assertThat(caller.ended(GrpcMethods.HELLO, opening, new byte[0]).isOk()).isFalse();
      }
      assertThat(caller.received).allMatch(headers -> ConnectionHandshake.proof(headers).isEmpty());
    }
  }

  @Test
  void reportsThatThePeerHasAnotherAddress() throws Exception {
    GrpcTransport server = transport(new Receiver());
    GrpcTransport caller = transport(receiver);
    String other = server.address().replace("127.0.0.1", "localhost");

    caller.send(other, call(1, new Ping(0, 0)));

    assertThat((String) next(receiver.lost).what()).contains(other, server.address());
  }
}
