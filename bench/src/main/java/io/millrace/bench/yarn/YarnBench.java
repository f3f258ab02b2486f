package io.millrace.bench.yarn;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code YarnBench [--repeats N] [--out FILE]}: seconds from the start of a command to the first
 * record of its job on the YARN of {@code HADOOP_CONF_DIR}, alternating with the floor. The first
 * run of each copies the libraries to the nodes and does not count.
 */
public final class YarnBench {
  private static final String SHARED = "hdfs:///millrace-bench/lib";

  private final Path root;
  private final Path work;
  private final String hadoop;

  private YarnBench(Path root, Path work, String hadoop) {
    this.root = root;
    this.work = work;
    this.hadoop = hadoop;
  }

  public static void main(String[] arguments) throws Exception {
    int repeats = 5;
    for (int i = 0; i < arguments.length; i += 2) {
      if (!arguments[i].equals("--repeats") || i + 1 == arguments.length) {
        System.err.println("Usage: tools/bench yarn [--repeats N]");
        System.exit(2);
      }
      repeats = Integer.parseInt(arguments[i + 1]);
    }
    String hadoop = System.getenv("HADOOP_CONF_DIR");
    if (hadoop == null) {
      System.err.println(
          "bench: Set HADOOP_CONF_DIR to the configuration of a running YARN; `tools/yarn start`"
              + " starts one and prints the directory.");
      System.exit(2);
    }
    Path work = Files.createTempDirectory("millrace-bench-yarn");
    try {
      new YarnBench(Path.of(System.getProperty("bench.root")), work, hadoop).measure(repeats);
    } finally {
      try (Stream<Path> files = Files.walk(work)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private void measure(int repeats) throws IOException, InterruptedException {
    floor("put", jars());
    Map<String, List<Double>> seconds = new LinkedHashMap<>();
    for (int round = 0; round <= repeats; round++) {
      for (String what : List.of("floor", "per-job", "application")) {
        double taken = run(what, work.resolve(what + "-" + round).toString());
        System.out.printf(
            Locale.ROOT,
            "%s %d: %.2f s%s%n",
            what,
            round,
            taken,
            round == 0 ? " (not counted)" : "");
        if (round > 0) {
          seconds.computeIfAbsent(what, name -> new ArrayList<>()).add(taken);
        }
      }
    }
    double floor = median(seconds.get("floor"));
    StringBuilder json = new StringBuilder("{\n");
    json.append("  \"what\": \"seconds from the command to the first record on YARN\",\n");
    seconds.forEach(
        (what, all) -> {
          double median = median(all);
          System.out.printf(
              Locale.ROOT,
              "%-12s median %.2f s, %.2f of the floor%n",
              what,
              median,
              median / floor);
          json.append(
              String.format(
                  Locale.ROOT,
                  "  \"%s\": {\"median\": %.3f, \"toFloor\": %.3f, \"all\": %s},%n",
                  what,
                  median,
                  median / floor,
                  all));
        });
    json.append("  \"repeats\": ").append(repeats).append("\n}\n");
    Files.writeString(
        root.resolve("bench/results/yarn-" + LocalDate.now(ZoneId.systemDefault()) + ".json"),
        json.toString());
  }

  private double run(String what, String marker) throws IOException, InterruptedException {
    long begin = System.currentTimeMillis();
    if (what.equals("floor")) {
      floor("run", List.of(marker));
    } else {
      execute(
          List.of(
              root.resolve("millrace").toString(),
              "run",
              "-t",
              "yarn-" + what,
              "-D",
              "yarn.provided.lib.dirs=" + SHARED,
              "-c",
              FirstRecord.class.getName(),
              ownJar().toString(),
              marker));
    }
    return (Long.parseLong(Files.readString(Path.of(marker))) - begin) / 1000.0;
  }

  private void floor(String what, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(hadoop + ":" + String.join(":", jars()));
    command.add(Floor.class.getName());
    command.add(what);
    command.addAll(arguments);
    execute(command);
  }

  private void execute(List<String> command) throws IOException, InterruptedException {
    Path log = work.resolve("log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (process.waitFor() != 0) {
      throw new IOException(
          command + " ended with " + process.exitValue() + ":\n" + Files.readString(log));
    }
  }

  private List<String> jars() throws IOException {
    List<String> jars = new ArrayList<>();
    jars.add(ownJar().toString());
    Path home = root.resolve("dist/target/millrace");
    for (Path directory : List.of(home.resolve("plugins/hadoop/lib"), home.resolve("lib"))) {
      try (Stream<Path> files = Files.list(directory)) {
        jars.addAll(
            files
                .map(Path::toString)
                .filter(name -> name.contains("hadoop-client") || name.contains("slf4j-api"))
                .sorted()
                .collect(Collectors.toList()));
      }
    }
    return jars;
  }

  private Path ownJar() throws IOException {
    try (Stream<Path> files = Files.list(root.resolve("bench/target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("millrace-bench-.*SNAPSHOT\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
