package io.millrace.bench.works;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * W11 and W12: the leading JobManager is killed. The engines use the same ensemble of three
 * servers.
 */
final class JobManagerFailover {
  private static final Pattern QUORUM = Pattern.compile("quorum=(\\S+)");

  private JobManagerFailover() {}

  /**
   * @param session the time-out of sessions; empty for the default of the engine
   */
  static Map<String, Double> run(String contestant, Engines engines, Optional<String> session)
      throws IOException, InterruptedException {
    return withZooKeeper(
        engines,
        quorum ->
            contestant.equals("flink")
                ? flink(engines, quorum, session)
                : own(engines, quorum, session));
  }

  /** W12, on two TaskManagers with a slot for each job. */
  static Map<String, Double> runSmallJobs(Engines engines)
      throws IOException, InterruptedException {
    int jobs = engines.jobs(1000);
    return withZooKeeper(
        engines,
        quorum -> {
          try (OwnCluster cluster =
              new OwnCluster(engines, 2, (jobs + 1) / 2, options(quorum, Optional.empty()))) {
            return cluster.killLeaderOfSmallJobs(jobs);
          }
        });
  }

  private interface Measurement {
    Map<String, Double> run(String quorum) throws IOException, InterruptedException;
  }

  private static Map<String, Double> withZooKeeper(Engines engines, Measurement measurement)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("millrace-bench-zookeeper");
    try {
      Matcher quorum =
          QUORUM.matcher(
              engines.tool("zookeeper", "start", "--dir", directory.toString()).output());
      if (!quorum.find()) {
        throw new IOException("ZooKeeper's addresses are not known");
      }
      return measurement.run(quorum.group(1));
    } finally {
      engines.tool("zookeeper", "stop", "--dir", directory.toString());
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static Map<String, Double> flink(Engines engines, String quorum, Optional<String> session)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of(quorum));
    session.ifPresent(arguments::add);
    Engines.Timed timed =
        engines.flink(
            List.of(),
            "io.millrace.bench.peers.flink.JobManagerFailover",
            arguments.toArray(String[]::new));
    return Work.figures("runningAgain", timed.numbers().get("allRunningAgainMs") / 1000);
  }

  private static Map<String, Double> own(Engines engines, String quorum, Optional<String> session)
      throws IOException, InterruptedException {
    try (OwnCluster cluster = new OwnCluster(engines, 2, 2, options(quorum, session))) {
      return Work.figures("runningAgain", cluster.killLeaderAndAwait());
    }
  }

  private static String[] options(String quorum, Optional<String> session) {
    List<String> options =
        new ArrayList<>(
            List.of(
                "--jobmanagers",
                "2",
                "-D",
                "high-availability.type=zookeeper",
                "-D",
                "high-availability.zookeeper.quorum=" + quorum));
    session.ifPresent(
        time ->
            options.addAll(
                List.of("-D", "high-availability.zookeeper.client.session-timeout=" + time)));
    return options.toArray(String[]::new);
  }
}
