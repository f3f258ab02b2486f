package io.millrace.api.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SocketTextSourceTest {
  private final TestContext context = new TestContext(0, 1);

  @Test
  void linesArriveAndTheStreamEndsWithTheConnection() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        PollingReader<String> reader =
            SocketTextSource.of("127.0.0.1", server.getLocalPort()).open(context)) {
      List<String> lines = new ArrayList<>();
      assertThat(reader.poll(lines::add, 10)).isEqualTo(PollingReader.Status.WAIT);
      try (Socket connection = server.accept()) {
        connection.getOutputStream().write("one\ntwo\n".getBytes(StandardCharsets.UTF_8));
        while (lines.size() < 2) {
          awaitWake();
          assertThat(reader.poll(lines::add, 10)).isEqualTo(PollingReader.Status.WAIT);
        }
      }
      while (reader.poll(lines::add, 10) != PollingReader.Status.END) {
        awaitWake();
      }
      assertThat(lines).containsExactly("one", "two");
    }
  }

  @Test
  void aServerThatIsNotThereIsNamed() throws Exception {
    int port;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = server.getLocalPort();
    }
    try (PollingReader<String> reader = SocketTextSource.of("127.0.0.1", port).open(context)) {
      awaitWake();
      assertThatThrownBy(() -> reader.poll(line -> {}, 10))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
          .hasMessageContaining("127.0.0.1:" + port);
    }
  }

  @Test
  void closingEndsTheReadingThread() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      PollingReader<String> reader =
          SocketTextSource.of("127.0.0.1", server.getLocalPort()).open(context);
      try (Socket connection = server.accept()) {
        reader.close();
        awaitWake();
        assertThat(reader.poll(line -> {}, 1)).isEqualTo(PollingReader.Status.END);
        assertThat(connection.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void itCannotBeDivided() {
    assertThat(SocketTextSource.of("localhost", 1).maxParallelism()).isEqualTo(1);
    assertThat(SocketTextSource.of("localhost", 1).isBounded()).isFalse();
  }

  private void awaitWake() throws InterruptedException {
    assertThat(context.wakes.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
  }
}
