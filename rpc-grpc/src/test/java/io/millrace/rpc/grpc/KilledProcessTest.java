package io.millrace.rpc.grpc;

import static io.millrace.rpc.grpc.Receiver.next;
import static io.millrace.rpc.grpc.TestMessages.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.Transport;
import io.millrace.rpc.grpc.TestMessages.Ping;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs two processes, one of which is killed or closes. */
final class KilledProcessTest {
  private static final Bytes SECRET = Bytes.utf8("family");

  /** Calls its parent, then serves until it is killed or its input closes. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      Transport transport = transport();
      Receiver receiver = new Receiver();
      transport.start(receiver);
      transport.send(arguments[0], call(1, new Ping(0, 1)));
      receiver.reply();
      System.out.println(transport.address());
      if (System.in.read() >= 0) {
        transport.close();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
          if (thread.getName().startsWith("rpc") || thread.getName().startsWith("grpc")) {
            // An event loop reports its end from its own thread, just before the thread ends.
            thread.join(200);
            if (thread.isAlive()) {
              System.out.println("left behind: " + thread.getName());
            }
          }
        }
        System.out.println("closed");
      }
    }
  }

  private static GrpcTransport transport() {
    return new GrpcTransport(
        GrpcSettings.loopback(GrpcSettings.Role.TASK_MANAGER, 0, SECRET),
        TestMessages.CODEC,
        type -> false);
  }

  private static Process child(String parent) throws IOException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                path,
                Child.class.getName(),
                parent))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static BufferedReader output(Process child) {
    return new BufferedReader(
        new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
  }

  @Test
  @Behaviour("D5: the broken connection of a killed process is noticed in about a second")
  void killedProcessIsDetectedByItsBrokenConnectionInBothDirections() throws Exception {
    Receiver receiver = new Receiver();
    try (Transport transport = transport()) {
      transport.start(receiver);
      // Once with both connections, and once with only the one that the child made.
      for (boolean callBack : List.of(true, false)) {
        Process child = child(transport.address());
        try (BufferedReader output = output(child)) {
          String address = output.readLine();
          assertThat(address).startsWith("127.0.0.1:");
          if (callBack) {
            transport.send(address, call(1, new Ping(0, 2)));
            assertThat(receiver.reply()).isEqualTo(new Ping(0, 2));
          }

          child.destroyForcibly();

          // Shorter than keep-alive.
          assertThat(next(receiver.lost).peer()).isEqualTo(address);
        } finally {
          child.destroyForcibly().waitFor();
        }
      }
      assertThat(receiver.allLost).hasSize(2);
    }
  }

  @Test
  void closedTransportLeavesNoThread() throws Exception {
    Receiver receiver = new Receiver();
    try (Transport transport = transport()) {
      transport.start(receiver);
      Process child = child(transport.address());
      try (BufferedReader output = output(child)) {
        String address = output.readLine();
        child.getOutputStream().write('\n');
        child.getOutputStream().flush();

        assertThat(output.readLine()).isEqualTo("closed");
        assertThat(child.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(next(receiver.lost).peer()).isEqualTo(address);
      } finally {
        child.destroyForcibly().waitFor();
      }
    }
  }
}
