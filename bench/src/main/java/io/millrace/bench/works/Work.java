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
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The works, each for the engines that support it. Figures are seconds unless their name has
 * another unit.
 */
@SuppressWarnings("ImmutableEnumChecker") // Lists are those of List.of, measurements have no state.
enum Work {
  W1(
      "word count of 1 MB on an embedded cluster, fresh JVM to exit",
      Peers.FLINK_AND_JET,
      "wall",
      Work::embeddedWordCount),

  W2(
      "start of a JobManager and a TaskManager, then a word count by the command line, twice",
      Peers.FLINK,
      "secondRun",
      Work::standaloneWordCounts),

  W3A(
      "map and filter in a chain",
      Peers.FLINK_AND_JET,
      "perCoreSecond",
      (contestant, engines) ->
          SteadyStateWorks.throughput(
              "a", (in, out) -> Math.abs(out / in - 0.5) < 0.01, contestant, engines)),

  W3B(
      "running sum of 10,000 keys",
      Peers.FLINK_AND_JET,
      "perCoreSecond",
      List.of("perCoreSecond", "peakRssMb"),
      (contestant, engines) ->
          SteadyStateWorks.throughput("b", (in, out) -> out == in, contestant, engines)),

  W3C(
      "count of 10,000 keys in windows of 1 s of event time",
      Peers.FLINK_AND_JET,
      "perCoreSecond",
      (contestant, engines) ->
          SteadyStateWorks.throughput("c", Work::hasAllWindows, contestant, engines)),

  W3D(
      "running sum of 1,000,000 keys",
      Peers.FLINK_AND_JET,
      "perCoreSecond",
      List.of("perCoreSecond", "heapPerKeyBytes"),
      (contestant, engines) ->
          SteadyStateWorks.throughput("d", (in, out) -> out == in, contestant, engines)),

  W3E(
      "running sum of 10,000 keys with a checkpoint every second",
      Peers.FLINK_AND_JET,
      "perCoreSecond",
      (contestant, engines) ->
          SteadyStateWorks.throughput("e", (in, out) -> out == in, contestant, engines)),

  W3F(
      "sentences split into words, words counted",
      Peers.FLINK_AND_JET,
      "perCoreSecond",
      (contestant, engines) ->
          SteadyStateWorks.throughput("f", (in, out) -> out == 10 * in, contestant, engines)),

  W3G(
      "W3b with metrics: a counter in the sink, and Prometheus that scrapes every second",
      Peers.NONE,
      "perCoreSecond",
      (contestant, engines) -> SteadyStateWorks.withMetrics(engines)),

  W4(
      "latency of a running count of 10,000 keys at 50,000 records a second",
      Peers.FLINK_AND_JET,
      "p99Ms",
      List.of("p50Ms", "p99Ms"),
      SteadyStateWorks::latency),

  W5(
      "submit to all RUNNING and cancel of an idle source, keyBy, sink; 64 to 4,000 in parallel",
      Peers.FLINK,
      "p512.allRunning",
      List.of("p512.allRunning", "p1000.allRunning"),
      Work::scale),

  W6(
      "kill -9 of the TaskManager that runs a job, with spare slots: until all tasks run again",
      Peers.FLINK,
      "runningAgain",
      Work::failover),

  W7(
      "records of 100 bytes by hash between two TaskManager processes",
      Peers.FLINK,
      "perCoreSecond",
      SteadyStateWorks::loopback),

  W8H(
      "kill -9 of a TaskManager with 1 GB of state on the heap, with a spare slot",
      Peers.FLINK,
      "caughtUp",
      List.of("runningAgain", "caughtUp"),
      (contestant, engines) -> StateLoads.kill("hashmap", contestant, engines)),

  W8R(
      "kill -9 of a TaskManager with 1 GB of state in RocksDB, with a spare slot",
      Peers.FLINK,
      "caughtUp",
      List.of("runningAgain", "caughtUp"),
      (contestant, engines) -> StateLoads.kill("rocksdb", contestant, engines)),

  W9(
      "random updates of 10 GB in RocksDB with 1 GB of managed memory",
      Peers.FLINK,
      "updatesPerS",
      List.of("updatesPerS", "checkpointedMb"),
      StateLoads::updates),

  W10(
      "unaligned checkpoints while a function of 1 ms per record blocks its sources",
      Peers.FLINK,
      "maxS",
      List.of("medianS", "maxS"),
      SteadyStateWorks::backPressure),

  W11(
      "kill -9 of the leading JobManager, with a standby and ZooKeeper: until all tasks run again",
      Peers.FLINK,
      "runningAgain",
      (contestant, engines) -> JobManagerFailover.run(contestant, engines, Optional.empty())),

  W11T(
      "W11 with sessions of 5 s at ZooKeeper",
      Peers.FLINK,
      "runningAgain",
      (contestant, engines) -> JobManagerFailover.run(contestant, engines, Optional.of("5 s"))),

  W12(
      "kill -9 of the leading JobManager of 1,000 small jobs, with a standby and ZooKeeper",
      Peers.NONE,
      "recovered",
      List.of("recovered", "runningAgain"),
      (contestant, engines) -> JobManagerFailover.runSmallJobs(engines)),

  W13(
      "counts of 100-byte records in windows of 1 s from Kafka to Kafka, exactly once",
      Peers.FLINK,
      "perCoreSecond",
      KafkaWork::run),

  NXQ0(
      "Nexmark q0, pass through",
      Peers.FLINK,
      "perCoreSecond",
      (contestant, engines) -> NexmarkWorks.run("q0", contestant, engines)),

  NXQ1(
      "Nexmark q1, currency conversion",
      Peers.FLINK,
      "perCoreSecond",
      (contestant, engines) -> NexmarkWorks.run("q1", contestant, engines)),

  NXQ2(
      "Nexmark q2, selection",
      Peers.FLINK,
      "perCoreSecond",
      (contestant, engines) -> NexmarkWorks.run("q2", contestant, engines)),

  NXQ3(
      "Nexmark q3, local item suggestion: join with timers",
      Peers.FLINK,
      "perCoreSecond",
      (contestant, engines) -> NexmarkWorks.run("q3", contestant, engines)),

  NXQ4(
      "Nexmark q4, average price per category: winning bids",
      Peers.FLINK,
      "perCoreSecond",
      (contestant, engines) -> NexmarkWorks.run("q4", contestant, engines)),

  NXQ5(
      "Nexmark q5, hot items: sliding windows of 10 s every 2 s",
      Peers.FLINK,
      "perCoreSecond",
      (contestant, engines) -> NexmarkWorks.run("q5", contestant, engines)),

  NXQ7(
      "Nexmark q7, highest bid: windows of 10 s without keys",
      Peers.FLINK,
      "perCoreSecond",
      (contestant, engines) -> NexmarkWorks.run("q7", contestant, engines)),

  NXQ8(
      "Nexmark q8, new users: co-group in windows of 10 s",
      Peers.FLINK,
      "perCoreSecond",
      (contestant, engines) -> NexmarkWorks.run("q8", contestant, engines)),

  IDLE(
      "2,000 idle tasks on two core threads",
      Peers.NONE,
      "percentOfACore",
      (contestant, engines) -> SteadyStateWorks.sharing("idle", engines)),

  FAIRNESS(
      "2,000 busy tasks on two core threads",
      Peers.NONE,
      "mostToLeast",
      (contestant, engines) -> SteadyStateWorks.sharing("fairness", engines)),

  ISOLATION(
      "a job alone and beside one whose function sleeps for 1 s a record",
      Peers.NONE,
      "percentSlower",
      (contestant, engines) -> SteadyStateWorks.sharing("isolation", engines));

  private final String what;
  private final Peers peers;
  private final String lead;
  private final List<String> compared;
  private final Measurement measurement;

  /** The other engines that support a work. */
  private enum Peers {
    NONE(List.of()),
    FLINK(List.of("flink")),
    FLINK_AND_JET(List.of("flink", "jet"));

    private final List<String> names;

    Peers(List<String> names) {
      this.names = names;
    }
  }

  /** Runs a work with one engine; returns its figures by name. */
  private interface Measurement {
    Map<String, Double> run(String contestant, Engines engines)
        throws IOException, InterruptedException;
  }

  Work(String what, Peers peers, String lead, Measurement measurement) {
    this(what, peers, lead, List.of(lead), measurement);
  }

  /**
   * @param lead the figure of the plot
   * @param compared the figures in the table of docs/performance.md, one row each
   */
  Work(String what, Peers peers, String lead, List<String> compared, Measurement measurement) {
    this.what = what;
    this.peers = peers;
    this.lead = lead;
    this.compared = compared;
    this.measurement = measurement;
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
    return compared;
  }

  boolean runsOn(String peer) {
    return peers.names.contains(peer);
  }

  Map<String, Double> run(String contestant, Engines engines)
      throws IOException, InterruptedException {
    return measurement.run(contestant, engines);
  }

  private static Map<String, Double> embeddedWordCount(String contestant, Engines engines)
      throws IOException, InterruptedException {
    String text = engines.text().toString();
    Engines.Timed timed =
        switch (contestant) {
          case "flink" -> engines.flink(List.of(), "io.millrace.bench.peers.flink.WordCount", text);
          case "jet" ->
              engines.jet(List.of(), "io.millrace.bench.peers.jet.WordCount", text, "alone");
          default -> wordCount(engines, "run", "-p", "2");
        };
    return figures("wall", timed.seconds(), "busyCores", timed.busyCores());
  }

  private static Map<String, Double> standaloneWordCounts(String contestant, Engines engines)
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
      return figures("registered", cluster.startSeconds(), "firstRun", first, "secondRun", second);
    }
  }

  private static Map<String, Double> scale(String contestant, Engines engines)
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

  private static void put(
      Map<String, Double> all, int parallelism, String name, Double value, double unit) {
    // A failed run does not have the figure.
    if (value != null) {
      all.put("p" + parallelism + "." + name, value / unit);
    }
  }

  private static Map<String, Double> failover(String contestant, Engines engines)
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
