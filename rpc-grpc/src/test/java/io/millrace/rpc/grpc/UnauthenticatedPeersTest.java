package io.millrace.rpc.grpc;

import static io.millrace.rpc.grpc.Receiver.next;
import static io.millrace.rpc.grpc.TestMessages.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.rpc.grpc.TestMessages.Ping;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many connections that do not authenticate. */
final class UnauthenticatedPeersTest {
  private static final Bytes SECRET = Bytes.utf8("known to few");

  /** Enough for a JVM and its jars, but fewer than the maximum of unauthenticated connections. */
  private static final int DESCRIPTORS = 80;

  /** The HTTP/2 preface, so that gRPC accepts the connection. */
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

  private final Receiver receiver = new Receiver();
  private final GrpcTransport transport = transport();
  private final List<Socket> sockets = new ArrayList<>();

  private static GrpcTransport transport() {
    return new GrpcTransport(
        GrpcSettings.loopback(GrpcSettings.Role.TASK_MANAGER, 0, SECRET),
        TestMessages.CODEC,
        type -> false);
  }

  @AfterEach
  void closeAll() throws IOException {
    closeSockets();
    transport.close();
  }

  private void closeSockets() throws IOException {
    for (Socket stranger : sockets) {
      stranger.close();
    }
    sockets.clear();
  }

  private void connect(String address, int count) throws IOException {
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    for (int i = 0; i < count; i++) {
      Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port);
      sockets.add(stranger);
      stranger.getOutputStream().write(PREFACE);
    }
  }

  @Test
  void unauthenticatedConnectionsDoNotKeepPeersOut() throws Exception {
    transport.start(receiver);
    Receiver there = new Receiver();
    try (GrpcTransport crowded = transport()) {
      crowded.start(there);
      connect(crowded.address(), 3 * UnauthenticatedConnections.MAX_CONNECTIONS);
      transport.send(crowded.address(), call(1, new Ping(1, 2)));
      assertThat(receiver.reply()).isEqualTo(new Ping(1, 2));
      sockets.get(0).setSoTimeout(20_000);
      // Reads the settings frame of the server, then the end of the stream.
      assertThat(sockets.get(0).getInputStream().readAllBytes().length).isLessThan(1000);
    }
  }

  @Test
  void callerWhoseConnectionIsClosedRetriesAndReportsTheReason() throws Exception {
    transport.start(receiver);
    int attempts = 0;
    try (ServerSocket crowded = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      crowded.setSoTimeout(100);
      transport.send("127.0.0.1:" + crowded.getLocalPort(), call(1, new Ping(1, 2)));
      while (receiver.allLost.isEmpty()) {
        attempts += closeNext(crowded) ? 1 : 0;
      }
    }
    assertThat(attempts).isGreaterThan(2);
    assertThat((String) next(receiver.lost).what())
        .contains("it closed the connection", "attempts", "unauthenticated");
  }

  private static boolean closeNext(ServerSocket server) throws IOException {
    try {
      server.accept().close();
      return true;
    } catch (SocketTimeoutException pausing) {
      return false;
    }
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES)
  void processThatRanOutOfFileDescriptorsServesAgain() throws Exception {
    transport.start(receiver);
    Process child =
        new ProcessBuilder(
                "bash",
                "-c",
                "ulimit -n \"$1\" && shift && exec \"$@\"",
                "bash",
                "" + DESCRIPTORS,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Child.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      String address = output.readLine();
      assertThat(address).startsWith("127.0.0.1:");
      connect(address, DESCRIPTORS);
      boolean exhausted = false;
      for (int look = 0; look < 2000 && !exhausted; look++) {
        exhausted = descriptors(child) >= DESCRIPTORS;
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertThat(exhausted).as("all descriptors of the child are in use").isTrue();
      connect(address, 10);
      closeSockets();
      for (int attempt = 0; attempt < 6 && receiver.answered.isEmpty(); attempt++) {
        transport.send(address, call(1, new Ping(3, 4)));
        // Until there is an answer or, on a slow machine, a connection time-out.
        while (receiver.answered.isEmpty() && receiver.allLost.size() <= attempt) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
      assertThat(receiver.reply()).isEqualTo(new Ping(3, 4));
      assertThat(child.isAlive()).isTrue();
    } finally {
      child.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
    }
  }

  private static long descriptors(Process process) {
    try (Stream<Path> open = Files.list(Path.of("/proc", "" + process.pid(), "fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Serves until it is killed. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      GrpcTransport serving = transport();
      serving.start(new Receiver());
      // Loads classes while there are file descriptors, for example those of logging.
      Logger.getLogger("child").warning("begins to serve");
      try (GrpcTransport caller = transport()) {
        Receiver here = new Receiver();
        caller.start(here);
        caller.send(serving.address(), call(1, new Ping(0, 0)));
        here.reply();
      }
      System.out.println(serving.address());
      Thread.currentThread().join();
    }
  }
}
