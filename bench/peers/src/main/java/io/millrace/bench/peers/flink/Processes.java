package io.millrace.bench.peers.flink;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.client.cli.CliFrontend;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;
import org.apache.flink.runtime.util.bash.BashJavaUtils;

/**
 * A standalone Flink cluster of child processes on loopback, started as Flink's own scripts would.
 */
final class Processes implements AutoCloseable {
  private static final String RESULT = "BASH_JAVA_UTILS_EXEC_RESULT:";

  final Path dir =
      Files.createTempDirectory(
          Files.createDirectories(Path.of("target", "run")).toAbsolutePath(), "w");
  private final String classPath =
      Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
          .filter(p -> !p.endsWith("peers-1.jar"))
          .map(p -> Path.of(p).toAbsolutePath().toString())
          .collect(Collectors.joining(File.pathSeparator));
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Process> children = new ArrayList<>();
  private final int restPort = freePort();

  /**
   * @param extra lines for config.yaml beside the addresses and Flink's default process sizes,
   *     which they replace
   */
  Processes(int slots, String... extra) throws IOException {
    Path data = Files.createDirectories(dir.resolve("data"));
    List<String> conf =
        new ArrayList<>(
            List.of(
                "jobmanager.rpc.address: localhost",
                "jobmanager.rpc.port: " + freePort(),
                "jobmanager.bind-host: localhost",
                "jobmanager.memory.process.size: 1600m",
                "taskmanager.host: localhost",
                "taskmanager.bind-host: localhost",
                "taskmanager.memory.process.size: 1728m",
                "taskmanager.numberOfTaskSlots: " + slots,
                "rest.address: localhost",
                "rest.bind-address: localhost",
                "rest.port: " + restPort,
                "io.tmp.dirs: " + data,
                "execution.checkpointing.dir: " + data.resolve("checkpoints").toUri()));
    for (String line : extra) {
      // Flink refuses a key that is there twice.
      String key = line.substring(0, line.indexOf(':') + 1);
      conf.removeIf(known -> known.startsWith(key));
      conf.add(line);
    }
    Files.write(dir.resolve("config.yaml"), conf);
    Files.writeString(
        dir.resolve("log4j.properties"),
        String.join(
            "\n",
            "rootLogger.level=info",
            "rootLogger.appenderRef.c.ref=c",
            "appender.c.type=Console",
            "appender.c.name=c",
            "appender.c.layout.type=PatternLayout",
            "appender.c.layout.pattern=%d %-5p %c{1} - %m%n"));
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** The two lines Flink's scripts ask BashJavaUtils for: JVM options, then dynamic properties. */
  List<String> parameters(String command) throws IOException, InterruptedException {
    Path out = dir.resolve(command);
    java(command, List.of(), BashJavaUtils.class, command, "--configDir", dir.toString()).waitFor();
    return Files.readAllLines(out).stream()
        .filter(l -> l.startsWith(RESULT))
        .map(l -> l.substring(RESULT.length()).trim())
        .toList();
  }

  Process jobManager(List<String> parameters) throws IOException {
    return java(
        "jobmanager",
        words(parameters.get(0)),
        StandaloneSessionClusterEntrypoint.class,
        join(
            List.of("--configDir", dir.toString(), "--executionMode", "cluster"),
            words(parameters.get(1))));
  }

  /**
   * One of several JobManagers, of which ZooKeeper elects one.
   *
   * @param port of its REST server
   */
  Process jobManager(String id, int port, List<String> parameters) throws IOException {
    // Flink ignores what follows an option that it does not know, as those of its scripts.
    return java(
        id,
        words(parameters.get(0)),
        StandaloneSessionClusterEntrypoint.class,
        join(
            List.of(
                "--configDir",
                dir.toString(),
                "-Drest.port=" + port,
                "-Drest.bind-port=" + port),
            words(parameters.get(1))));
  }

  Process taskManager(String id, List<String> parameters) throws IOException {
    return java(
        id,
        words(parameters.get(0)),
        TaskManagerRunner.class,
        join(
            List.of("--configDir", dir.toString(), "-Dtaskmanager.resource-id=" + id),
            words(parameters.get(1))));
  }

  Process cli(String... args) throws IOException {
    return java("cli", List.of(), CliFrontend.class, args);
  }

  private static List<String> words(String line) {
    return Arrays.stream(line.split(" +")).filter(w -> !w.isEmpty()).toList();
  }

  private static String[] join(List<String> a, List<String> b) {
    List<String> all = new ArrayList<>(a);
    all.addAll(b);
    return all.toArray(String[]::new);
  }

  private Process java(String name, List<String> options, Class<?> main, String... args)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> a.startsWith("--add-"))
        .forEach(command::add);
    command.addAll(options);
    command.addAll(
        List.of(
            "-Dlog4j.configurationFile=" + dir.resolve("log4j.properties"),
            "-cp",
            classPath,
            main.getName()));
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve(name).toFile());
    builder.environment().put("FLINK_CONF_DIR", dir.toString());
    Process child = builder.start();
    children.add(child);
    return child;
  }

  /** Body of a REST answer, or an empty string while there is none. */
  String get(String path) throws InterruptedException {
    return get(restPort, path);
  }

  /** Like the other {@code get}, of one of several JobManagers. */
  String get(int port, String path) throws InterruptedException {
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                  .timeout(Duration.ofSeconds(5))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? answer.body() : "";
    } catch (IOException e) {
      return "";
    }
  }

  /** Polls until the answer satisfies the condition and returns it. */
  String await(String path, int everyMs, Duration limit, Predicate<String> condition)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (System.nanoTime() < deadline) {
      String body = get(path);
      if (!body.isEmpty() && condition.test(body)) {
        return body;
      }
      Thread.sleep(everyMs);
    }
    throw new IllegalStateException("timed out on " + path + ": " + get(path));
  }

  static List<String> all(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    List<String> found = new ArrayList<>();
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  static long rssMb(Process process) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
        .filter(l -> l.startsWith("VmRSS:"))
        .mapToLong(l -> Long.parseLong(l.replaceAll("\\D", "")) / 1024)
        .findFirst()
        .orElse(-1);
  }

  @Override
  public void close() throws InterruptedException {
    children.forEach(Process::destroyForcibly);
    for (Process child : children) {
      child.waitFor();
    }
  }
}
