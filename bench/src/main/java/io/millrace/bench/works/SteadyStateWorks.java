package io.millrace.bench.works;

import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Works that are measured in their steady state. Each engine has the same heap and its best
 * settings: Flink uses object reuse, no buffer timeout for throughput and 1 ms for latency.
 */
final class SteadyStateWorks {
  private static final String FLINK = "io.millrace.bench.peers.flink.";
  private static final String JET = "io.millrace.bench.peers.jet.";

  private SteadyStateWorks() {}

  /** Checks the number of input records and results of a run. */
  interface Check {
    boolean holds(double in, double out);
  }

  static Map<String, Double> throughput(
      String work, Check check, String contestant, Engines engines)
      throws IOException, InterruptedException {
    Path checkpoints = Files.createTempDirectory("millrace-bench-checkpoints");
    List<String> jvm = jvm(engines);
    jvm.add("-Dcheckpoints=" + checkpoints);
    try {
      Engines.Timed timed =
          switch (contestant) {
            case "flink" -> engines.flink(jvm, FLINK + "Throughput", work, "reuse");
            case "jet" -> engines.jet(jvm, JET + "Throughput", work);
            default -> engines.ours(jvm, ThroughputRun.class.getName(), work);
          };
      return checked(timed.numbers(), check);
    } finally {
      delete(checkpoints);
    }
  }

  /** W3g. */
  static Map<String, Double> withMetrics(Engines engines) throws IOException, InterruptedException {
    Map<String, Double> numbers =
        engines.oursWithMetrics(jvm(engines), ThroughputRun.class.getName(), "g").numbers();
    if (numbers.getOrDefault("scrapes", 0.0) == 0) {
      throw new IOException("Nothing was scraped");
    }
    return checked(numbers, (in, out) -> out == in);
  }

  /** W10; Jet has no unaligned checkpoints. */
  static Map<String, Double> backPressure(String contestant, Engines engines)
      throws IOException, InterruptedException {
    Path checkpoints = Files.createTempDirectory("millrace-bench-checkpoints");
    List<String> jvm = jvm(engines);
    jvm.add("-Dcheckpoints=" + checkpoints);
    try {
      Map<String, Double> numbers =
          (contestant.equals("flink")
                  ? engines.flink(jvm, FLINK + "BackPressure")
                  : engines.ours(jvm, BackPressureRun.class.getName()))
              .numbers();
      if (numbers.getOrDefault("checkpoints", 0.0) == 0) {
        throw new IOException("No checkpoint completed in " + engines.measureSeconds() + " s");
      }
      return numbers;
    } finally {
      delete(checkpoints);
    }
  }

  static Map<String, Double> latency(String contestant, Engines engines)
      throws IOException, InterruptedException {
    List<String> jvm = jvm(engines);
    Engines.Timed timed =
        switch (contestant) {
          case "flink" -> engines.flink(jvm, FLINK + "Latency", "1");
          case "jet" -> engines.jet(jvm, JET + "Latency");
          default -> engines.ours(jvm, LatencyRun.class.getName());
        };
    return timed.numbers();
  }

  /** Sharing of core threads by tasks; the peers have one thread per task. */
  static Map<String, Double> sharing(String work, Engines engines)
      throws IOException, InterruptedException {
    return engines.ours(jvm(engines), SharingRun.class.getName(), work).numbers();
  }

  static Map<String, Double> loopback(String contestant, Engines engines)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("millrace-bench-loopback");
    String[] arguments = {
      directory.toString(),
      String.valueOf(engines.warmUpSeconds()),
      String.valueOf(engines.measureSeconds())
    };
    try {
      if (contestant.equals("flink")) {
        engines.flink(List.of(), FLINK + "Loopback", arguments);
      } else {
        try (OwnCluster cluster = new OwnCluster(engines, 2, 1)) {
          cluster.run(2, LoopbackJob.class, arguments);
        }
      }
      JsonLine json = new JsonLine(contestant, "W7", "default");
      Probe.collect(directory, json);
      return checked(json.numbers(), (in, out) -> out == in);
    } finally {
      delete(directory);
    }
  }

  static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  static List<String> jvm(Engines engines) {
    List<String> jvm = new ArrayList<>(List.of("-Xms2g", "-Xmx2g"));
    jvm.add("-Dwarmup=" + engines.warmUpSeconds());
    jvm.add("-Dmeasure=" + engines.measureSeconds());
    String more = System.getProperty("bench.jvm", "");
    if (!more.isEmpty()) {
      jvm.addAll(List.of(more.split(" ")));
    }
    return jvm;
  }

  static Map<String, Double> checked(Map<String, Double> numbers, Check check) throws IOException {
    double in = numbers.getOrDefault("in", 0.0);
    double out = numbers.getOrDefault("out", 0.0);
    if (in == 0 || !check.holds(in, out)) {
      throw new IOException("The results are incomplete: " + in + " in, " + out + " out");
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    // Throughput per core-second does not depend on the load of the machine.
    figures.put("perCoreSecond", numbers.get("recordsPerS") / numbers.get("ownCores"));
    figures.putAll(numbers);
    return figures;
  }
}
