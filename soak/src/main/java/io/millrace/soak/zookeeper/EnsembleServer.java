package io.millrace.soak.zookeeper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A ZooKeeper server in a process of its own, which can be killed and started again. */
final class EnsembleServer implements AutoCloseable {
  private static final int ANSWER_MILLIS = 2_000;

  private final Path directory;
  private final int number;
  private final int port;
  private Process process;

  /**
   * @param members the lines {@code server.N=…} of the whole ensemble
   */
  EnsembleServer(Path parent, int number, int port, List<String> members) throws IOException {
    this.directory = Files.createDirectories(parent.resolve("server-" + number));
    this.number = number;
    this.port = port;
    Path data = Files.createDirectories(directory.resolve("data"));
    Files.writeString(data.resolve("myid"), number + "\n");
    Files.writeString(
        directory.resolve("zoo.cfg"),
        """
        tickTime=500
        minSessionTimeout=1000
        maxSessionTimeout=60000
        initLimit=40
        syncLimit=20
        maxClientCnxns=0
        dataDir=%s
        clientPort=%d
        clientPortAddress=127.0.0.1
        admin.enableServer=false
        4lw.commands.whitelist=srvr
        autopurge.purgeInterval=1
        %s
        """
            .formatted(data, port, String.join("\n", members)));
  }

  int port() {
    return port;
  }

  int number() {
    return number;
  }

  void start() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=soak-logback.xml",
                "-Dsoak.log.level=INFO",
                "-cp",
                System.getProperty("java.class.path"),
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                directory.resolve("zoo.cfg").toString())
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(directory.resolve("server.log").toFile()))
            .start();
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  void kill() {
    if (process != null) {
      process.destroyForcibly().onExit().join();
    }
  }

  /** Whether it belongs to a majority and answers clients. */
  boolean serves() {
    try (Socket connection = new Socket(InetAddress.getLoopbackAddress(), port)) {
      connection.setSoTimeout(ANSWER_MILLIS);
      connection.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
      byte[] answer = connection.getInputStream().readNBytes(10_000);
      return new String(answer, StandardCharsets.US_ASCII).contains("Mode: ");
    } catch (IOException down) {
      return false;
    }
  }

  Path log() {
    return directory.resolve("server.log");
  }

  @Override
  public void close() {
    kill();
  }
}
