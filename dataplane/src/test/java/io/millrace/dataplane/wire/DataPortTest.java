package io.millrace.dataplane.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.secret.SecretProof;
import io.millrace.core.testing.Behaviour;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DataPortTest {
  private static final Bytes SECRET = Bytes.utf8("the secret of this cluster");
  private static final NetworkMemory MEMORY = new NetworkMemory(64 << 10, 4096);
  private static final LocalBufferPool BUFFERS =
      new NetworkBufferPool(MEMORY).reserve(window -> 2).orElseThrow();
  private final JobId job = JobId.random(new Random(1));

  /** Knows one deployment, and drops what comes for it. */
  private final DataTransport server =
      new DataTransport(
          DataPort.loopback(0, SECRET),
          (asked, number) ->
              asked.equals(job) && number == 1 ? Optional.of(new Dropping()) : Optional.empty());

  private static final class Dropping implements DataTransport.Receiver {
    @Override
    public LocalBufferPool buffers() {
      return BUFFERS;
    }

    @Override
    public boolean barrier(BarrierChannel channel, byte[] request) {
      return true;
    }

    @Override
    public boolean data(DataFrame frame) {
      frame.release();
      return true;
    }

    @Override
    public void lost(String from, String why) {}
  }

  @AfterEach
  void close() {
    server.close();
  }

  private int port() {
    return Integer.parseInt(server.address().substring(server.address().indexOf(':') + 1));
  }

  private static final class Heard implements OutboundStream.Listener {
    final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    @Override
    public void opened() {
      events.add("opened");
    }

    @Override
    public void credit(int edge, int producer, int consumer, int count) {
      events.add("credit");
    }

    @Override
    public void splitRequest(int edge, int producer, int consumer, long total) {
      events.add("splits");
    }

    @Override
    public void failed(String why) {
      events.add(why);
    }

    String next() throws InterruptedException {
      String event = events.poll(60, TimeUnit.SECONDS);
      assertThat(event).isNotNull();
      return event;
    }
  }

  private void assertStillServes() throws InterruptedException {
    try (DataTransport client =
        new DataTransport(DataPort.loopback(0, SECRET), (job, number) -> Optional.empty())) {
      Heard heard = new Heard();
      client.open(server.address(), job, 1, BUFFERS, heard);
      assertThat(heard.next()).isEqualTo("opened");
    }
  }

  /** Sends bytes and waits until the other side closes; whatever it answers is returned. */
  private byte[] answerTo(byte[] bytes) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.setSoTimeout(20_000);
      try {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return socket.getInputStream().readAllBytes();
      } catch (java.net.SocketException reset) {
        return new byte[0];
      }
    }
  }

  @Test
  @Behaviour("I4: the data port reads at most one buffer of any input and keeps serving")
  void closesOnGarbageAndKeepsServing() throws Exception {
    Random random = new Random(7);
    for (int i = 0; i < 50; i++) {
      byte[] garbage = new byte[1 + random.nextInt(4000)];
      random.nextBytes(garbage);
      // A frame length that the bytes do not fill would only be waited for.
      garbage[0] = (byte) (1 + random.nextInt(200));
      assertThat(answerTo(garbage)).isEmpty();
    }
    assertThat(
            answerTo(
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII)))
        .isEmpty();
    assertStillServes();
  }

  @Test
  void closesOnAnOversizedFirstFrame() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new DataOutputStream(bytes).writeInt(Integer.MAX_VALUE);
    assertThat(answerTo(bytes.toByteArray())).isEmpty();
    assertStillServes();
  }

  @Test
  void closesOnGarbageBehindTheRightProof() throws Exception {
    for (byte type = -1; type < 12; type++) {
      try (RawConnection connection = new RawConnection(server.address())) {
        connection.hello();
        connection.send(connection.proof(SECRET), RawConnection.frame(new byte[] {type, 1, 2}));
        assertThat(new String(connection.rest(), StandardCharsets.UTF_8)).contains("it sent a");
      }
    }
    assertStillServes();
  }

  /** One that knows the secret, and says anything: right lengths and sums, wrong content. */
  @Test
  @Behaviour("I4: the data port reads at most one buffer of any input and keeps serving")
  void survivesWhateverAMemberSays() throws Exception {
    ByteBuf open = Frames.open(UnpooledByteBufAllocator.DEFAULT, 7, job, 1);
    byte[] opening = ByteBufUtil.getBytes(open);
    open.release();
    int free = server.pool().free();
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      try (RawConnection connection = new RawConnection(server.address())) {
        connection.hello();
        connection.send(connection.proof(SECRET), opening);
        boolean endless = true;
        for (int i = 0; i < 20 && endless; i++) {
          byte[] body = new byte[1 + random.nextInt(random.nextInt(4) == 0 ? 9000 : 60)];
          random.nextBytes(body);
          body[0] = (byte) random.nextInt(15);
          if (body.length > 4 && random.nextBoolean()) {
            // For the stream that is open.
            body[1] = body[2] = body[3] = 0;
            body[4] = 7;
          }
          try {
            connection.send(RawConnection.frame(body));
          } catch (java.net.SocketException closed) {
            endless = false;
          }
        }
      }
    }
    assertThat(server.pool().free()).isEqualTo(free);
    assertStillServes();
  }

  @Test
  @Behaviour("I4: the data port reads at most one buffer of any input and keeps serving")
  void takesNoFrameOfAMemberThatIsLongerThanABuffer() throws Exception {
    try (RawConnection connection = new RawConnection(server.address())) {
      connection.hello();
      connection.send(connection.proof(SECRET));
      // Its head is enough.
      byte[] third = RawConnection.numbered(RawConnection.frame(new byte[1 << 20]), 2);
      connection.sendRaw(Arrays.copyOf(third, Frames.HEAD));
      assertThat(new String(connection.rest(), StandardCharsets.UTF_8))
          .contains("a frame has 1048576 bytes; the maximum is 32768");
    }
    assertStillServes();
  }

  @Test
  @Behaviour("H2: bytes that are changed, lost or repeated in transit never become records")
  void saysThatBytesWereChangedOrLost() throws Exception {
    for (int at : new int[] {0, 5, 9, 14, 40}) {
      byte[] open = RawConnection.frame(new byte[29]);
      try (RawConnection connection = new RawConnection(server.address())) {
        connection.hello();
        connection.send(connection.proof(SECRET));
        connection.send(RawConnection.frame(new byte[] {Frames.PING, 0, 0, 0, 0}));
        assertThat(connection.next()).containsExactly(Frames.PONG, 0, 0, 0, 0);
        open[at] ^= 0x10;
        connection.sendRaw(RawConnection.numbered(open, at < 8 ? 99 : 3));
        assertThat(new String(connection.rest(), StandardCharsets.UTF_8)).contains("in transit");
      }
    }
  }

  @Test
  void takesWhatComesInOnePieceWithTheProof() throws Exception {
    ByteBuf open = Frames.open(UnpooledByteBufAllocator.DEFAULT, 7, job, 1);
    try (RawConnection connection = new RawConnection(server.address())) {
      connection.hello();
      connection.send(connection.proof(SECRET), ByteBufUtil.getBytes(open));
      assertThat(connection.next())
          .containsExactly(Frames.OPENED, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0x10, 0);
    } finally {
      open.release();
    }
  }

  @Test
  void tellsAClientWithAnotherSecretWhatMayBeWrong() throws Exception {
    try (DataTransport client =
        new DataTransport(
            DataPort.loopback(0, Bytes.utf8("other")), (job, number) -> Optional.empty())) {
      Heard heard = new Heard();
      client.open(server.address(), job, 1, BUFFERS, heard);
      assertThat(heard.next())
          .contains(
              server.address(),
              "secrets of the two processes differ",
              "security.cluster-secret.file");
    }
  }

  @Test
  void tellsThatNobodyListens() throws Exception {
    String gone;
    try (DataTransport other =
        new DataTransport(DataPort.loopback(0, SECRET), (job, number) -> Optional.empty())) {
      gone = other.address();
    }
    Heard heard = new Heard();
    server.open(gone, job, 1, BUFFERS, heard);
    assertThat(heard.next()).contains(gone, "cannot be reached");
  }

  @Test
  void tellsThatADeploymentDidNotCome() throws Exception {
    DataPort impatient =
        new DataPort(
            "127.0.0.1",
            BindPorts.of(TaskManagerOptions.DATA_PORT, PortRange.of(0)),
            "127.0.0.1",
            SECRET,
            Optional.empty(),
            new ConnectionTimeouts(
                Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(9)),
            MEMORY);
    try (DataTransport other = new DataTransport(impatient, (job, number) -> Optional.empty())) {
      Heard heard = new Heard();
      server.open(other.address(), job, 3, BUFFERS, heard);
      assertThat(heard.next()).contains(other.address(), "deployment 3", job.toString());
    }
  }

  /** Each new one makes the oldest go, so that they never keep a member out. */
  @Test
  void strangersBeyondTheBoundMakeTheOldestGo() throws Exception {
    List<Socket> silent = new ArrayList<>();
    long began = System.nanoTime();
    try {
      for (int i = 0; i < PendingHandshakes.MOST; i++) {
        silent.add(new Socket(InetAddress.getLoopbackAddress(), port()));
      }
      assertStillServes();
      Socket oldest = silent.get(0);
      oldest.setSoTimeout(20_000);
      byte[] said = oldest.getInputStream().readAllBytes();
      if (System.nanoTime() - began < TimeUnit.SECONDS.toNanos(5)) {
        // On a slower machine its time may have been over before.
        assertThat(said).hasSize(Frames.HEAD + 1).endsWith(Frames.BUSY);
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void aMemberThatHasToGiveWayTriesAgain() throws Exception {
    for (byte[] answer : List.of(new byte[0], RawConnection.frame(new byte[] {Frames.BUSY}))) {
      try (ServerSocket peer = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
        peer.setSoTimeout(20_000);
        server.open("127.0.0.1:" + peer.getLocalPort(), job, 1, BUFFERS, new Heard());
        try (Socket first = peer.accept()) {
          assertThat(nextFrame(first).getByte(0)).isEqualTo(Frames.HELLO);
          first.getOutputStream().write(answer);
        }
        try (Socket second = peer.accept()) {
          ByteBuf hello = nextFrame(second).skipBytes(6);
          Bytes nonce = SecretProof.nonce(new SecureRandom());
          ByteBuf challenge =
              Frames.challenge(
                  UnpooledByteBufAllocator.DEFAULT,
                  nonce,
                  SecretProof.of(SECRET, SecretProof.Side.CALLED, Frames.readHello(hello, nonce)));
          second
              .getOutputStream()
              .write(RawConnection.numbered(ByteBufUtil.getBytes(challenge), 0));
          challenge.release();
          assertThat(nextFrame(second).getByte(0)).isEqualTo(Frames.PROOF);
          assertThat(nextFrame(second).getByte(0)).isEqualTo(Frames.OPEN);
        }
      }
    }
  }

  private static ByteBuf nextFrame(Socket socket) throws IOException {
    socket.setSoTimeout(20_000);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] body = new byte[in.readInt()];
    in.readFully(new byte[Frames.HEAD - 4]);
    in.readFully(body);
    return Unpooled.wrappedBuffer(body);
  }

  @Test
  void saysInTheEndThatTooManyConnectionsWaitThere() throws Exception {
    try (ServerSocket busy = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Heard heard = new Heard();
      server.open("127.0.0.1:" + busy.getLocalPort(), job, 1, BUFFERS, heard);
      busy.setSoTimeout(100);
      while (heard.events.isEmpty()) {
        refuseNext(busy);
      }
      assertThat(heard.next()).contains("too many handshakes are pending there", "8 attempts");
    }
  }

  /** Whether one came. */
  private static boolean refuseNext(ServerSocket busy) throws IOException {
    try (Socket socket = busy.accept()) {
      socket.getOutputStream().write(RawConnection.frame(new byte[] {Frames.BUSY}));
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes();
      return true;
    } catch (SocketTimeoutException pausing) {
      return false;
    }
  }

  @Test
  void saysWhichPortIsTaken() {
    DataPort taken = DataPort.loopback(port(), SECRET);
    assertThatThrownBy(() -> new DataTransport(taken, (job, number) -> Optional.empty()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("127.0.0.1:" + port())
        .hasMessageContaining("taskmanager.data.port");
  }

  @Test
  void bindsAFreePortOfARange() {
    int free;
    try (DataTransport other =
        new DataTransport(DataPort.loopback(0, SECRET), (job, number) -> Optional.empty())) {
      free = Integer.parseInt(other.address().replaceFirst(".*:", ""));
    }
    DataPort range =
        new DataPort(
            "127.0.0.1",
            BindPorts.of(TaskManagerOptions.DATA_PORT, PortRange.parse(port() + "," + free)),
            "127.0.0.1",
            SECRET,
            Optional.empty(),
            new ConnectionTimeouts(
                Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(9)),
            MEMORY);
    try (DataTransport bound = new DataTransport(range, (job, number) -> Optional.empty())) {
      assertThat(bound.address()).isEqualTo("127.0.0.1:" + free);
    }
  }
}
