package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections from outside of the cluster to its ports. */
class ForeignConnectionsIT {
  private static final long SEED = 4;

  @RegisterExtension static final Shell SHELL = new Shell();
  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    // So that a job of parallelism 2 sends records between the TaskManagers.
    cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "2");
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Behaviour("I4: bytes that are not a message of the class table are refused")
  void garbageOnAnyPortDoesNotDisturbTheCluster() throws Exception {
    String job = cluster.submit("-p", "3", Shell.example("rate-counter.jar").toString());
    cluster.rest().awaitAllRunning(job, 6);

    List<Socket> open = new ArrayList<>();
    try {
      for (Map.Entry<String, Integer> port : ports().entrySet()) {
        for (byte[] garbage : garbage()) {
          Socket socket = new Socket();
          open.add(socket);
          socket.connect(at(port.getValue()), 10_000);
          send(socket, garbage);
        }
        // A connection that sends nothing.
        Socket silent = new Socket();
        open.add(silent);
        silent.connect(at(port.getValue()), 10_000);
      }
      assertServing(job);
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
    assertServing(job);
    cluster.millrace("cancel", job).succeeded();
  }

  private static void assertServing(String job) throws IOException {
    JsonNode now = cluster.rest().awaitAllRunning(job, 6);
    assertThat(now.path("timestamps").path("RESTARTING").asLong()).isZero();
    assertThat(cluster.rest().failures(job)).isZero();
    long before = cluster.rest().recordsRead(job);
    Wait.untilTrue("records flow", () -> cluster.rest().recordsRead(job) > before);
    assertThat(cluster.run(Shell.example("word-count.jar").toString()).succeeded().out())
        .hasSize(176);
    assertThat(cluster.rest().registeredTaskManagers()).isEqualTo(2);
  }

  /** All ports of the cluster. */
  private static Map<String, Integer> ports() throws IOException {
    Map<String, Integer> ports = new LinkedHashMap<>();
    String rest = cluster.rest().address();
    ports.put("REST", portOf(rest));
    for (String line :
        Files.readAllLines(cluster.directory().resolve("conf").resolve("config.yaml"))) {
      if (line.startsWith("jobmanager.rpc.port:")) {
        ports.put("RPC of the JobManager", Integer.parseInt(line.replaceAll("[^0-9]", "")));
      }
    }
    for (JsonNode worker : cluster.rest().get("/taskmanagers").path("taskmanagers")) {
      String id = worker.path("id").asText();
      ports.put("data of " + id, worker.path("dataPort").asInt());
      ports.put("RPC of " + id, portOf(worker.path("path").asText().replaceFirst("/.*", "")));
    }
    assertThat(ports).as("ports of the cluster").hasSize(6);
    return ports;
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static int portOf(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private static List<byte[]> garbage() {
    byte[] noise = new byte[100_000];
    new Random(SEED).nextBytes(noise);
    byte[] zeros = new byte[10_000];
    byte[] hugeLength = {0x7f, -1, -1, -1, 1, 2, 3};
    byte[] negativeLength = {-1, -1, -1, -1, 1, 2, 3};
    String http2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    return List.of(
        noise,
        zeros,
        hugeLength,
        negativeLength,
        bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        bytes("POST /jars/upload HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        bytes(http2 + "and then nonsense"),
        // The header of Java serialization.
        new byte[] {(byte) 0xac, (byte) 0xed, 0, 5, 's', 'r', 0, 1, 'X'});
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Sends as much as possible; the peer may close the connection or ignore the bytes. */
  private static void send(Socket socket, byte[] garbage) {
    try {
      socket.getOutputStream().write(garbage);
      socket.getOutputStream().flush();
      socket.setSoTimeout(100);
      socket.getInputStream().read(new byte[1000]);
    } catch (SocketTimeoutException ignored) {
      // The peer waits for more.
      return;
    } catch (IOException cutOff) {
      // The peer has closed the connection.
      return;
    }
  }

  @Test
  @Behaviour("I4: a process without the cluster's secret is refused")
  void taskManagerWithAnotherSecretIsRefused() throws Exception {
    Path conf = SHELL.directory().resolve("strange-conf");
    Path secret = SHELL.directory().resolve("strange-secret");
    Files.createDirectory(conf);
    Files.createFile(
        secret, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(secret, "0123456789abcdef0123456789abcdef");
    String own =
        Files.readString(cluster.directory().resolve("conf").resolve("config.yaml"))
            .replace(cluster.directory().resolve("secret").toString(), secret.toString());
    assertThat(own).contains(secret.toString());
    Files.writeString(conf.resolve("config.yaml"), own);

    Command stranger =
        SHELL.start(
            Map.of("MILLRACE_CONF_DIR", conf.toString()),
            "taskmanager",
            "-D",
            "taskmanager.resource-id=stranger",
            "-D",
            "io.tmp.dirs=" + SHELL.temporaryFiles());

    assertThat(stranger.awaitLine(line -> line.contains("secret") && !line.contains(" = ")))
        .contains("secret");
    assertThat(cluster.rest().get("/taskmanagers").toString()).doesNotContain("stranger");
    assertThat(cluster.rest().registeredTaskManagers()).isEqualTo(2);
    stranger.terminate();
    stranger.await();
  }
}
