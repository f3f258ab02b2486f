package io.millrace.bench.works;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The works, each for the engines that support it. Figures are seconds unless their name has
 * another unit.
 */
enum Work {
  W1("word count of 1 MB on an embedded cluster, fresh JVM to exit", "wall") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink") || peer.equals("jet");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      String text = engines.text().toString();
      Engines.Timed timed =
          switch (contestant) {
            case "flink" ->
                engines.flink(List.of(), "io.millrace.bench.peers.flink.WordCount", text);
            case "jet" ->
                engines.jet(List.of(), "io.millrace.bench.peers.jet.WordCount", text, "alone");
            default -> wordCount(engines, "run", "-p", "2");
          };
      return figures("wall", timed.seconds(), "busyCores", timed.busyCores());
    }
  },

  W2(
      "start of a JobManager and a TaskManager, then a word count by the command line, twice",
      "secondRun") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      if (contestant.equals("flink")) {
        Engines.Timed timed =
            engines.flink(
                List.of(),
                "io.millrace.bench.peers.flink.Standalone",
                engines.peersJar().toString(),
                engines.text().toString());
        Map<String, Double> numbers = timed.numbers();
        return figures(
            "registered", numbers.get("tmRegisteredMs") / 1000,
            "firstRun", numbers.get("firstCliWallMs") / 1000,
            "secondRun", numbers.get("secondCliWallMs") / 1000,
            "busyCores", timed.busyCores());
      }
      try (OwnCluster cluster = new OwnCluster(engines, 1, 2)) {
        double first = cluster.wordCount();
        double second = cluster.wordCount();
        return figures(
            "registered", cluster.startSeconds(), "firstRun", first, "secondRun", second);
      }
    }
  },

  W3A("map and filter in a chain", "perCoreSecond") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink") || peer.equals("jet");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.throughput(
          "a", (in, out) -> Math.abs(out / in - 0.5) < 0.01, contestant, engines);
    }
  },

  W3B("running sum of 10,000 keys", "perCoreSecond") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink") || peer.equals("jet");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.throughput("b", (in, out) -> out == in, contestant, engines);
    }

    @Override
    List<String> compared() {
      return List.of("perCoreSecond", "peakRssMb");
    }
  },

  W3C("count of 10,000 keys in windows of 1 s of event time", "perCoreSecond") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink") || peer.equals("jet");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.throughput("c", Work::hasAllWindows, contestant, engines);
    }
  },

  W3D("running sum of 1,000,000 keys", "perCoreSecond") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink") || peer.equals("jet");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.throughput("d", (in, out) -> out == in, contestant, engines);
    }

    @Override
    List<String> compared() {
      return List.of("perCoreSecond", "heapPerKeyBytes");
    }
  },

  W3E("running sum of 10,000 keys with a checkpoint every second", "perCoreSecond") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink") || peer.equals("jet");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.throughput("e", (in, out) -> out == in, contestant, engines);
    }
  },

  W3F("sentences split into words, words counted", "perCoreSecond") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink") || peer.equals("jet");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.throughput("f", (in, out) -> out == 10 * in, contestant, engines);
    }
  },

  W4("latency of a running count of 10,000 keys at 50,000 records a second", "p99Ms") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink") || peer.equals("jet");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.latency(contestant, engines);
    }

    @Override
    List<String> compared() {
      return List.of("p50Ms", "p99Ms");
    }
  },

  W5(
      "submit to all RUNNING and cancel of an idle source, keyBy, sink; 64 to 4,000 in parallel",
      "p512.allRunning") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      Map<String, Double> all = new LinkedHashMap<>();
      if (contestant.equals("flink")) {
        for (int parallelism : new int[] {64, 256, 512, 1000}) {
          List<String> jvm = new ArrayList<>(List.of("-Xmx5g", "-XX:MaxDirectMemorySize=14g"));
          if (parallelism >= 1000) {
            // On a machine with two cores heartbeats time out otherwise.
            jvm.add("-DheartbeatTimeoutS=600");
          }
          Map<String, Double> numbers =
              engines
                  .flink(jvm, "io.millrace.bench.peers.flink.Scale", String.valueOf(parallelism))
                  .numbers();
          put(all, parallelism, "allRunning", numbers.get("submitToAllRunningMs"), 1000);
          put(all, parallelism, "cancel", numbers.get("cancelMs"), 1000);
          put(all, parallelism, "heapMb", numbers.get("heapAfterGcMb"), 1);
          put(all, parallelism, "threads", numbers.get("threads"), 1);
        }
        return all;
      }
      for (int parallelism : new int[] {64, 256, 512, 1000, 2000, 4000}) {
        engines
            .ours(List.of("-Xmx5g"), ScaleRun.class.getName(), String.valueOf(parallelism))
            .numbers()
            .forEach((name, value) -> put(all, parallelism, name, value, 1));
      }
      return all;
    }

    @Override
    List<String> compared() {
      return List.of("p512.allRunning", "p1000.allRunning");
    }

    private void put(
        Map<String, Double> all, int parallelism, String name, Double value, double unit) {
      // A failed run does not have the figure.
      if (value != null) {
        all.put("p" + parallelism + "." + name, value / unit);
      }
    }
  },

  W6(
      "kill -9 of the TaskManager that runs a job, with spare slots: until all tasks run again",
      "runningAgain") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      if (contestant.equals("flink")) {
        Engines.Timed timed =
            engines.flink(List.of(), "io.millrace.bench.peers.flink.Failover", "packed");
        return figures("runningAgain", timed.numbers().get("allRunningAgainMs") / 1000);
      }
      try (OwnCluster cluster = new OwnCluster(engines, 2, 2)) {
        return figures("runningAgain", cluster.killAndAwait());
      }
    }
  },

  W7("records of 100 bytes by hash between two TaskManager processes", "perCoreSecond") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.loopback(contestant, engines);
    }
  },

  W8H("kill -9 of a TaskManager with 1 GB of state on the heap, with a spare slot", "caughtUp") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return StateLoads.kill("hashmap", contestant, engines);
    }

    @Override
    List<String> compared() {
      return List.of("runningAgain", "caughtUp");
    }
  },

  W8R("kill -9 of a TaskManager with 1 GB of state in RocksDB, with a spare slot", "caughtUp") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return StateLoads.kill("rocksdb", contestant, engines);
    }

    @Override
    List<String> compared() {
      return List.of("runningAgain", "caughtUp");
    }
  },

  W9("random updates of 10 GB in RocksDB with 1 GB of managed memory", "updatesPerS") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return StateLoads.updates(contestant, engines);
    }

    @Override
    List<String> compared() {
      return List.of("updatesPerS", "checkpointedMb");
    }
  },

  W10("unaligned checkpoints while a function of 1 ms per record blocks its sources", "maxS") {
    @Override
    boolean runsOn(String peer) {
      return peer.equals("flink");
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.backPressure(contestant, engines);
    }

    @Override
    List<String> compared() {
      return List.of("medianS", "maxS");
    }
  },

  IDLE("2,000 idle tasks on two core threads", "percentOfACore") {
    @Override
    boolean runsOn(String peer) {
      return false;
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.sharing("idle", engines);
    }
  },

  FAIRNESS("2,000 busy tasks on two core threads", "mostToLeast") {
    @Override
    boolean runsOn(String peer) {
      return false;
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.sharing("fairness", engines);
    }
  },

  ISOLATION("a job alone and beside one whose function sleeps for 1 s a record", "percentSlower") {
    @Override
    boolean runsOn(String peer) {
      return false;
    }

    @Override
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException {
      return Steadily.sharing("isolation", engines);
    }
  };

  private final String what;
  private final String lead;

  /**
   * @param lead the figure of the plot
   */
  Work(String what, String lead) {
    this.what = what;
    this.lead = lead;
  }

  static Work named(String name) {
    return Arrays.stream(values())
        .filter(work -> work.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "There is no work "
                        + name
                        + ". Works: "
                        + Arrays.stream(values())
                            .map(Enum::name)
                            .collect(Collectors.joining(", "))));
  }

  String shortName() {
    return name();
  }

  String what() {
    return what;
  }

  String lead() {
    return lead;
  }

  /** The figures in the table of docs/performance.md, one row each. */
  List<String> compared() {
    return List.of(lead);
  }

  abstract boolean runsOn(String peer);

  abstract Map<String, Double> run(String contestant, Engines engines)
      throws IOException, InterruptedException;

  /**
   * Each of two sources sends a million records per window with 10,000 keys, and neither is ahead
   * of the other by more than half of the windows.
   */
  private static boolean hasAllWindows(double in, double out) {
    return out >= (in / 2_000_000 - 1) * 10_000 && out <= (in / 1_000_000 + 1) * 10_000;
  }

  /** Counts the words of the text; the output directory is deleted afterwards. */
  static Engines.Timed wordCount(Engines engines, String... command)
      throws IOException, InterruptedException {
    Path output = Files.createTempDirectory("millrace-bench");
    try {
      String[] arguments =
          Stream.concat(
                  Arrays.stream(command),
                  Stream.of(
                      engines
                          .root()
                          .resolve("dist/target/millrace/examples/word-count.jar")
                          .toString(),
                      "--input",
                      engines.text().toString(),
                      "--output",
                      output.resolve("counts").toString()))
              .toArray(String[]::new);
      return engines.millrace(arguments);
    } finally {
      try (Stream<Path> files = Files.walk(output)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  static Map<String, Double> figures(Object... pairs) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      figures.put((String) pairs[i], (Double) pairs[i + 1]);
    }
    return figures;
  }
}
