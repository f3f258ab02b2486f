package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.CountsExactly;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** State survives stops, other parallelisms and killed processes: every record counts once. */
class SavepointsIT {
  private static final int KEYS = 10;
  private static final int PER_KEY = 20_000;

  /** The job would take hours at this rate; the test ends it at another one. */
  private static final String SLOW = "50";

  private static final String FAST = "10000000";

  @RegisterExtension static final Shell SHELL = new Shell();

  private Path counts;
  private Path savepoints;
  private Path program;

  @BeforeEach
  void prepare() throws IOException {
    counts = Files.createTempDirectory(SHELL.directory(), "counts");
    savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
    program = ProgramJar.of(SHELL.directory(), CountsExactly.class);
  }

  private String[] job(String rate, String... options) {
    List<String> line = new ArrayList<>(List.of(options));
    line.addAll(
        List.of(
            program.toString(),
            counts.toString(),
            String.valueOf(KEYS * PER_KEY),
            String.valueOf(KEYS),
            rate));
    return line.toArray(String[]::new);
  }

  private static String path(Outcome outcome) {
    String prefix = "Savepoint completed. Path: ";
    return outcome.succeeded().out().stream()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No path: " + outcome));
  }

  /** Each key was counted exactly as often as it was generated. */
  private void assertExact() throws IOException {
    try (Stream<Path> files = Files.list(counts)) {
      assertThat(files.map(file -> file.getFileName().toString()).sorted())
          .containsExactlyElementsOf(
              Stream.iterate(0, key -> key + 1)
                  .limit(KEYS)
                  .map(key -> key + "-" + PER_KEY)
                  .toList());
    }
  }

  @Test
  @Behaviour(
      "A2: a job that was stopped with a savepoint continues from it, also with another"
          + " parallelism")
  void stoppedJobContinuesExactlyFromItsSavepoint() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      String first = cluster.submit(job(SLOW, "-p", "2"));
      cluster.rest().awaitAllRunning(first, 4);
      Wait.untilTrue("records are read", () -> cluster.rest().recordsRead(first) > 0);
      String savepoint = path(cluster.millrace("savepoint", first, savepoints.toString()));
      assertThat(Path.of(savepoint).getParent()).isEqualTo(savepoints);
      assertThat(cluster.rest().state(first)).isEqualTo("RUNNING");
      assertThat(cluster.millrace("savepoint", "inspect", savepoint).succeeded().out())
          .anyMatch(line -> line.contains("keyed"))
          .anyMatch(line -> line.contains("splits (list"));

      String stopped = path(cluster.millrace("stop", first, "-p", savepoints.toString()));
      assertThat(cluster.rest().state(first)).isEqualTo("FINISHED");
      JsonNode latest = cluster.rest().get("/jobs/" + first + "/checkpoints").path("latest");
      assertThat(latest.path("savepoint").path("external_path").asText()).isEqualTo(stopped);
      Outcome again = cluster.millrace("stop", first);
      assertThat(again.code()).isEqualTo(1);
      assertThat(again.refusedInOneLine()).contains("already ended");

      cluster.run(job(FAST, "-p", "1", "-s", stopped)).succeeded();
      assertExact();

      cluster.millrace("savepoint", "dispose", savepoint).succeeded();
      assertThat(Path.of(savepoint)).doesNotExist();
      Outcome missing = cluster.run(job(FAST, "-s", savepoint));
      assertThat(missing.code()).isNotZero();
      assertThat(String.join(" ", missing.err())).contains("does not exist");
    }
  }

  @Test
  @Behaviour(
      "G3: a job with checkpoints counts exactly although a TaskManager and the JobManager"
          + " are killed")
  void countsStayExactAlthoughProcessesAreKilled() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "3", "--slots", "1")) {
      String job =
          cluster.submit(
              job(
                  SLOW,
                  "-p",
                  "2",
                  "-D",
                  "execution.checkpointing.interval=1 s",
                  "-D",
                  "execution.checkpointing.tolerable-failed-checkpoints=100",
                  "-D",
                  "restart-strategy.type=fixed-delay",
                  "-D",
                  "restart-strategy.fixed-delay.attempts=100",
                  "-D",
                  "restart-strategy.fixed-delay.delay=100 ms"));
      cluster.rest().awaitAllRunning(job, 4);
      awaitCompleted(cluster, job, 2);

      cluster.kill(busyOf(cluster));
      Wait.untilTrue(
          "the job goes on from a checkpoint",
          () -> checkpoints(cluster, job).path("counts").path("restored").asInt() > 0);
      cluster.rest().awaitAllRunning(job, 4);
      assertThat(cluster.millrace("explain", job).succeeded().out())
          .anyMatch(line -> line.contains("Tasks start with the state of checkpoint"));
      long completed = checkpoints(cluster, job).path("counts").path("completed").asLong();
      awaitCompleted(cluster, job, completed + 1);

      cluster.kill("jobmanager");
      cluster.millrace("cluster", "start").succeeded();
      cluster.rest().awaitAllRunning(job, 4);
      assertThat(checkpoints(cluster, job).path("latest").path("restored").path("id").asLong())
          .isPositive();
      awaitCompleted(cluster, job, 1);

      String stopped = path(cluster.millrace("stop", job, "-p", savepoints.toString()));
      cluster.run(job(FAST, "-p", "2", "-s", stopped)).succeeded();
      assertExact();
    }
  }

  private static JsonNode checkpoints(Cluster cluster, String job) {
    return cluster.rest().get("/jobs/" + job + "/checkpoints");
  }

  private static void awaitCompleted(Cluster cluster, String job, long count) {
    Wait.untilTrue(
        count + " checkpoints are complete",
        () -> checkpoints(cluster, job).path("counts").path("completed").asLong() >= count);
  }

  /** A TaskManager that runs tasks. */
  private static String busyOf(Cluster cluster) {
    for (JsonNode worker : cluster.rest().get("/taskmanagers").path("taskmanagers")) {
      if (worker.path("freeSlots").asInt() < worker.path("slotsNumber").asInt()) {
        return worker.path("id").asText();
      }
    }
    throw new AssertionError("No TaskManager has tasks");
  }
}
