package io.millrace.bench.works;

import io.millrace.bench.load.Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts the processes of the engines and measures their time. */
final class Engines {
  private static final Pattern NUMBER = Pattern.compile("\"(\\w+)\":(-?\\d+(?:\\.\\d+)?)");
  private static final Pattern BUSY = Pattern.compile("cpu +(.*)");
  private static final long TIMEOUT_MINUTES = 60;

  /** The JVM options of Flink's default configuration for Java 17. */
  private static final List<String> FLINK_JVM =
      List.of(
          "--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED",
          "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.net=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.text=ALL-UNNAMED",
          "--add-opens=java.base/java.time=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED");

  /** The JVM options from Hazelcast's manual. */
  private static final List<String> JET_JVM =
      List.of(
          "--add-modules",
          "java.se",
          "--add-exports",
          "java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens",
          "java.base/java.lang=ALL-UNNAMED",
          "--add-opens",
          "java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens",
          "java.management/sun.management=ALL-UNNAMED",
          "--add-opens",
          "jdk.management/com.sun.management.internal=ALL-UNNAMED");

  private final Path root;
  private final int warmUpSeconds;
  private final int measureSeconds;
  private final OptionalInt stateMegabytes;
  private final OptionalInt jobs;
  private final OptionalInt millionRecords;

  /**
   * @param warmUpSeconds for works that are measured in their steady state
   * @param measureSeconds for works that are measured in their steady state
   * @param stateMegabytes the size of the state of W8 and W9, for a trial
   * @param jobs the number of jobs of W12, for a trial
   * @param millionRecords the input of W13
   */
  Engines(
      Path root,
      int warmUpSeconds,
      int measureSeconds,
      OptionalInt stateMegabytes,
      OptionalInt jobs,
      OptionalInt millionRecords) {
    this.root = root;
    this.warmUpSeconds = warmUpSeconds;
    this.measureSeconds = measureSeconds;
    this.stateMegabytes = stateMegabytes;
    this.jobs = jobs;
    this.millionRecords = millionRecords;
  }

  int stateMegabytes(int otherwise) {
    return stateMegabytes.orElse(otherwise);
  }

  int jobs(int otherwise) {
    return jobs.orElse(otherwise);
  }

  int millionRecords(int otherwise) {
    return millionRecords.orElse(otherwise);
  }

  int warmUpSeconds() {
    return warmUpSeconds;
  }

  int measureSeconds() {
    return measureSeconds;
  }

  /**
   * The duration and output of a command.
   *
   * @param busyCores busy cores of the machine during the command, by all processes
   */
  record Timed(double seconds, double busyCores, String output) {
    /** The numbers of the JSON line that the programs of the peers print. */
    Map<String, Double> numbers() {
      Map<String, Double> numbers = new LinkedHashMap<>();
      output
          .lines()
          .filter(line -> line.startsWith("{"))
          .findFirst()
          .ifPresent(
              line -> {
                Matcher match = NUMBER.matcher(line);
                while (match.find()) {
                  numbers.put(match.group(1), Double.parseDouble(match.group(2)));
                }
              });
      return numbers;
    }
  }

  Path root() {
    return root;
  }

  /** A text of about 1 MiB: ten words per line from a vocabulary of 5000 words. */
  Path text() throws IOException {
    Path file = root.resolve("bench/target/words.txt");
    if (!Files.exists(file)) {
      Files.createDirectories(file.getParent());
      Text.write(file, 1 << 20);
    }
    return file;
  }

  Path ownJar() {
    return root.resolve("bench/target/millrace-bench-0.1.0-SNAPSHOT.jar");
  }

  Path peersJar() {
    return root.resolve("bench/peers/target/millrace-bench-peers-0.1.0-SNAPSHOT.jar");
  }

  Timed millrace(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(root.resolve("millrace").toString()));
    command.addAll(List.of(arguments));
    return timed(command);
  }

  /** Runs a script of the directory {@code tools}. */
  Timed tool(String name, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(root.resolve("tools").resolve(name).toString()));
    command.addAll(List.of(arguments));
    return timed(command);
  }

  Timed flink(List<String> options, String mainClass, String... arguments)
      throws IOException, InterruptedException {
    List<String> jvm = new ArrayList<>(FLINK_JVM);
    jvm.addAll(options);
    jvm.add("-Dpeers.jar=" + peersJar());
    return java(jvm, classPath(jar -> !jar.startsWith("hazelcast")), mainClass, arguments);
  }

  Timed jet(List<String> options, String mainClass, String... arguments)
      throws IOException, InterruptedException {
    List<String> jvm = new ArrayList<>(JET_JVM);
    jvm.addAll(options);
    return java(
        jvm,
        classPath(jar -> jar.startsWith("hazelcast") || jar.startsWith("millrace-bench")),
        mainClass,
        arguments);
  }

  /** Runs a program of this module on the libraries of the distribution. */
  Timed ours(List<String> jvm, String mainClass, String... arguments)
      throws IOException, InterruptedException {
    return java(jvm, ownClassPath(), mainClass, arguments);
  }

  /** The same, with the reporters of metrics. */
  Timed oursWithMetrics(List<String> jvm, String mainClass, String... arguments)
      throws IOException, InterruptedException {
    Path plugin = root.resolve("dist/target/millrace/plugins/metrics");
    return java(
        jvm,
        ownClassPath() + ":" + plugin.resolve("*") + ":" + plugin.resolve("lib/*"),
        mainClass,
        arguments);
  }

  /** The same, with the connector of Kafka. */
  Timed oursWithKafka(List<String> jvm, String mainClass, String... arguments)
      throws IOException, InterruptedException {
    return java(
        jvm, ownClassPath() + ":" + root.resolve("bench/target/kafka/*"), mainClass, arguments);
  }

  private String ownClassPath() {
    return root.resolve("bench/target/classes") + ":" + root.resolve("dist/target/millrace/lib/*");
  }

  private Timed java(List<String> jvm, String classPath, String mainClass, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.addAll(List.of("-cp", classPath, mainClass));
    command.addAll(List.of(arguments));
    return timed(command);
  }

  private String classPath(java.util.function.Predicate<String> wanted) throws IOException {
    try (Stream<Path> jars = Files.list(root.resolve("bench/peers/target/lib"))) {
      return peersJar()
          + ":"
          + jars.filter(jar -> wanted.test(jar.getFileName().toString()))
              .sorted(Comparator.comparing(Path::toString))
              .map(Path::toString)
              .collect(Collectors.joining(":"));
    }
  }

  private Timed timed(List<String> command) throws IOException, InterruptedException {
    Path errors = root.resolve("bench/target/last.err");
    Files.createDirectories(errors.getParent());
    long busyBefore = busyHundredths();
    long start = System.nanoTime();
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException("Ran longer than " + TIMEOUT_MINUTES + " minutes: " + command);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    if (process.exitValue() != 0) {
      throw new IOException(
          "Exit code "
              + process.exitValue()
              + " of "
              + command
              + "\n"
              + output
              + Files.readString(errors));
    }
    return new Timed(seconds, (busyHundredths() - busyBefore) / 100.0 / seconds, output);
  }

  /** Busy time of the machine since its start. */
  private static long busyHundredths() {
    try {
      Matcher match = BUSY.matcher(Files.readAllLines(Path.of("/proc/stat")).get(0));
      if (!match.matches()) {
        return 0;
      }
      String[] parts = match.group(1).trim().split(" +");
      long sum = 0;
      for (int i = 0; i < parts.length; i++) {
        // The fourth and fifth are idle time.
        if (i != 3 && i != 4) {
          sum += Long.parseLong(parts[i]);
        }
      }
      return sum;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
