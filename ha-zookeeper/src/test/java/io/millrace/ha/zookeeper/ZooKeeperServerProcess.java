package io.millrace.ha.zookeeper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.test.InstanceSpec;

/**
 * A ZooKeeper server in a process of its own, because its security is configured by properties of
 * the JVM.
 */
public final class ZooKeeperServerProcess implements AutoCloseable {
  private final Process process;
  private final int port;

  private ZooKeeperServerProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Returns when the server accepts connections.
   *
   * @param portKey {@code clientPort} or {@code secureClientPort}
   * @param settings lines of the configuration file
   * @param jvm options of the JVM
   */
  public static ZooKeeperServerProcess start(
      Path directory, String portKey, Map<String, String> settings, List<String> jvm)
      throws IOException, InterruptedException {
    int port = InstanceSpec.getRandomPort();
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.put("dataDir", Files.createDirectories(directory.resolve("data")).toString());
    all.put(portKey, String.valueOf(port));
    all.put(portKey + "Address", "127.0.0.1");
    all.put("tickTime", "500");
    all.put("admin.enableServer", "false");
    Path file = directory.resolve("zoo.cfg");
    Files.writeString(
        file,
        all.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
            .collect(Collectors.joining()));
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
    command.addAll(jvm);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            "org.apache.zookeeper.server.quorum.QuorumPeerMain",
            file.toString()));
    Path log = directory.resolve("server.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    ZooKeeperServerProcess server = new ZooKeeperServerProcess(process, port);
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!server.accepts()) {
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        server.close();
        throw new IOException("The server does not start: " + Files.readString(log));
      }
      Thread.sleep(50);
    }
    return server;
  }

  private boolean accepts() {
    try (Socket connection = new Socket()) {
      connection.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** By the name of the host, as Kerberos requires. */
  public String address() {
    return "localhost:" + port;
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
