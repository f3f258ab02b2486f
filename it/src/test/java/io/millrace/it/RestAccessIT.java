package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What other users of the machine can do through the REST port of a cluster. */
class RestAccessIT {
  private static final int DESCRIPTORS = 400;
  private static final String OTHER_UID = "65534";

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour("I4: REST binds beyond loopback only with authentication")
  void otherUsersNeedTheToken() throws Exception {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "Only root can act as another user");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "There is no setpriv");
    try (Cluster cluster = SHELL.startCluster("--slots", "2")) {
      int port = port(cluster);
      Path token = cluster.directory().resolve("rest-token");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
          .isEqualTo("rw-------");
      String known = "Authorization: Bearer " + Files.readString(token) + "\r\n";

      for (String path : List.of("GET /jobs", "POST /jars/upload", "DELETE /cluster")) {
        assertThat(asOtherUser(port, path, "")).startsWith("HTTP/1.1 401");
      }
      assertThat(asOtherUser(port, "GET /jobs", known)).startsWith("HTTP/1.1 200");
      // The user of the cluster needs no token.
      assertThat(cluster.rest().get("/jobs").path("jobs")).isEmpty();
      assertThat(cluster.run(Shell.example("word-count.jar").toString()).succeeded().out())
          .hasSize(176);
    }
  }

  private static String asOtherUser(int port, String what, String headers) throws Exception {
    String request =
        what + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "Connection: close\r\n\r\n";
    Process process =
        new ProcessBuilder(
                "/usr/bin/setpriv",
                "--reuid=" + OTHER_UID,
                "--regid=" + OTHER_UID,
                "--clear-groups",
                "bash",
                "-c",
                "exec 3<>/dev/tcp/127.0.0.1/$0; printf '%b' \"$1\" >&3; cat <&3",
                String.valueOf(port),
                request.replace("\r", "\\r").replace("\n", "\\n"))
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return answer;
  }

  @Test
  void idleConnectionsTakeNoDescriptorsFromStorage() throws Exception {
    Path directory = SHELL.directory().resolve("few-descriptors");
    SHELL
        .startLimited(
            DESCRIPTORS,
            "cluster",
            "start",
            "--dir",
            directory.toString(),
            "--rest-port",
            "0",
            "-D",
            "rest.server.max-connections=100000",
            "-D",
            "rest.server.max-connections-per-address=100000",
            "-D",
            "rest.server.first-request-timeout=10min")
        .await()
        .succeeded();
    List<Socket> idle = new ArrayList<>();
    try (Cluster cluster = Cluster.in(SHELL, directory)) {
      try {
        for (int i = 0; i < DESCRIPTORS + 200; i++) {
          Socket socket = new Socket();
          idle.add(socket);
          socket.connect(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port(cluster)), 60_000);
        }
        ProcessHandle jobManager = cluster.process("jobmanager");
        for (int i = 0; i < 3; i++) {
          assertThat(cluster.run(Shell.example("word-count.jar").toString()).succeeded().out())
              .hasSize(176);
        }
        assertThat(Shell.isRunning(jobManager)).isTrue();
        assertThat(descriptors(jobManager)).isLessThan(DESCRIPTORS - 50);
        assertThat(cluster.rest().get("/overview").path("jobs-finished").asInt()).isEqualTo(3);
      } finally {
        for (Socket socket : idle) {
          socket.close();
        }
      }
    }
  }

  private static long descriptors(ProcessHandle process) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc", String.valueOf(process.pid()), "fd"))) {
      return open.count();
    }
  }

  private static int port(Cluster cluster) {
    String address = cluster.rest().address();
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }
}
