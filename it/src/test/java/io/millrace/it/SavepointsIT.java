package io.millrace.it;

import static io.millrace.it.ExactCounts.FAST;
import static io.millrace.it.ExactCounts.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.SlowJob;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** State survives stops, other parallelisms and killed processes: every record counts once. */
class SavepointsIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private ExactCounts counts;
  private Path savepoints;

  @BeforeEach
  void prepare() throws IOException {
    counts = new ExactCounts(SHELL.directory());
    savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
  }

  @Test
  @Behaviour(
      "A2: a job that was stopped with a savepoint continues from it, also with another"
          + " parallelism")
  void stoppedJobContinuesExactlyFromItsSavepoint() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      String first = cluster.submit(counts.job(SLOW, "-p", "2"));
      cluster.rest().awaitAllRunning(first, 4);
      Wait.untilTrue("records are read", () -> cluster.rest().recordsRead(first) > 0);
      String savepoint =
          cluster.millrace("savepoint", first, savepoints.toString()).savepointPath();
      assertThat(Path.of(savepoint).getParent()).isEqualTo(savepoints);
      assertThat(cluster.rest().state(first)).isEqualTo("RUNNING");
      assertThat(cluster.millrace("savepoint", "inspect", savepoint).succeeded().out())
          .anyMatch(line -> line.contains("count: keyed, value, java.lang.Long to java.lang.Long"))
          .anyMatch(line -> line.contains("splits: split list of"));
      assertThat(
              cluster
                  .millrace(
                      "savepoint",
                      "inspect",
                      "--operator",
                      "process",
                      "--state",
                      "count",
                      "--key",
                      "3",
                      savepoint)
                  .succeeded()
                  .out())
          .singleElement()
          .asString()
          .matches("\\{\"key\":3,\"value\":\\d+}");

      String stopped = cluster.millrace("stop", first, "-p", savepoints.toString()).savepointPath();
      assertThat(cluster.rest().state(first)).isEqualTo("FINISHED");
      JsonNode latest = cluster.rest().get("/jobs/" + first + "/checkpoints").path("latest");
      assertThat(latest.path("savepoint").path("external_path").asText()).isEqualTo(stopped);
      Outcome again = cluster.millrace("stop", first);
      assertThat(again.code()).isEqualTo(1);
      assertThat(again.refusedInOneLine()).contains("already ended");

      cluster.run(counts.job(FAST, "-p", "1", "-s", stopped)).succeeded();
      counts.assertExact();

      cluster.millrace("savepoint", "dispose", savepoint).succeeded();
      assertThat(Path.of(savepoint)).doesNotExist();
      Outcome missing = cluster.run(counts.job(FAST, "-s", savepoint));
      assertThat(missing.code()).isNotZero();
      assertThat(String.join(" ", missing.err())).contains("does not exist");
    }
  }

  @Test
  @Behaviour("H4: a native savepoint has all files of its state, and can be moved")
  void aNativeSavepointIsMovedAndRestoredByTheSameBackendOnly() throws Exception {
    String rocksDb = "state.backend.type=rocksdb";
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      String first = cluster.submit(counts.job(SLOW, "-p", "2", "-D", rocksDb));
      cluster.rest().awaitAllRunning(first, 4);
      Wait.untilTrue("records are read", () -> cluster.rest().recordsRead(first) > 0);
      String stopped =
          cluster
              .millrace("stop", "--type", "native", first, "-p", savepoints.toString())
              .savepointPath();
      JsonNode latest = cluster.rest().get("/jobs/" + first + "/checkpoints").path("latest");
      assertThat(latest.path("savepoint").path("savepointFormat").asText()).isEqualTo("NATIVE");
      Path moved = Files.move(Path.of(stopped), savepoints.resolve("moved"));
      assertThat(cluster.millrace("savepoint", "inspect", moved.toString()).succeeded().out())
          .anyMatch(line -> line.contains("count: keyed, value"));

      assertRefused(
          SHELL.millrace(
              dryRun(moved.toString(), counts.job(FAST, "-D", "state.backend.type=hashmap"))),
          "in the format of the state backend 'rocksdb', which 'hashmap' (state.backend.type) does"
              + " not read");
      SHELL.millrace(dryRun(moved.toString(), counts.job(FAST, "-D", rocksDb))).succeeded();
      Outcome onHeap = cluster.run(counts.job(FAST, "-s", moved.toString()));
      assertThat(onHeap.code()).isNotZero();
      assertThat(String.join(" ", onHeap.err())).contains("Set state.backend.type to rocksdb");

      Path file = Path.of(only(moved, "1-"));
      Path away = Files.move(file, savepoints.resolve("away"));
      assertRefused(
          SHELL.millrace(dryRun(moved.toString(), counts.job(FAST, "-D", rocksDb))), "is missing");
      Files.move(away, file);

      cluster.run(counts.job(FAST, "-p", "1", "-s", moved.toString(), "-D", rocksDb)).succeeded();
      counts.assertExact();
    }
  }

  private static String only(Path directory, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(Path::toString)
          .filter(file -> Path.of(file).getFileName().toString().startsWith(prefix))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  @Behaviour(
      "A2: run --dry-run says what is wrong with a savepoint while the old job runs, and asks for"
          + " no slot")
  void dryRunChecksASavepointWhileTheOldJobRuns() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "1")) {
      // Small pieces are part of the metadata; here each has a file.
      String job =
          cluster.submit(
              counts.job(
                  SLOW, "-p", "1", "-D", "execution.checkpointing.data-inline-threshold=0 b"));
      cluster.rest().awaitAllRunning(job, 2);
      Wait.untilTrue("records are read", () -> cluster.rest().recordsRead(job) > 0);
      String savepoint = cluster.millrace("savepoint", job, savepoints.toString()).savepointPath();

      assertThat(SHELL.millrace(dryRun(savepoint, counts.job(FAST))).succeeded().out())
          .anyMatch(line -> line.contains("can start with the state of"));
      assertRefused(SHELL.millrace(dryRun(savepoint + "x", counts.job(FAST))), "does not exist");
      assertRefused(
          SHELL.millrace(dryRun(savepoint, counts.job(FAST, "-D", "pipeline.max-parallelism=64"))),
          "had max parallelism 128 and has 64 now");
      Path other = ProgramJar.of(SHELL.directory(), SlowJob.class);
      assertRefused(
          SHELL.millrace(dryRun(savepoint, other.toString(), "sleep")), "it is of another program");

      Path file = Path.of(only(Path.of(savepoint), "state-"));
      byte[] whole = Files.readAllBytes(file);
      Files.write(file, Arrays.copyOf(whole, whole.length - 3));
      assertRefused(SHELL.millrace(dryRun(savepoint, counts.job(FAST))), "ends early");
      Files.delete(file);
      assertRefused(SHELL.millrace(dryRun(savepoint, counts.job(FAST))), "is missing");
      Path metadata = Path.of(savepoint, "_metadata");
      byte[] content = Files.readAllBytes(metadata);
      byte version = content[7];
      content[7] = 99;
      Files.write(metadata, content);
      assertRefused(SHELL.millrace(dryRun(savepoint, counts.job(FAST))), "has format 99");
      content[7] = version;
      content[content.length - 1] ^= 1;
      Files.write(metadata, content);
      assertRefused(SHELL.millrace(dryRun(savepoint, counts.job(FAST))), "checksum");

      assertThat(cluster.rest().state(job)).isEqualTo("RUNNING");
      cluster.millrace("cancel", job).succeeded();
    }
  }

  private static String[] dryRun(String savepoint, String... job) {
    List<String> line = new ArrayList<>(List.of("run", "-s", savepoint, "--dry-run"));
    line.addAll(List.of(job));
    return line.toArray(String[]::new);
  }

  private static void assertRefused(Outcome outcome, String why) {
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(String.join(" ", outcome.err())).contains(why);
  }

  @Test
  @Behaviour(
      "G3: a job with checkpoints counts exactly although a TaskManager and the JobManager"
          + " are killed")
  void countsStayExactAlthoughProcessesAreKilled() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "3", "--slots", "1")) {
      String job =
          cluster.submit(
              counts.job(
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
      cluster.rest().awaitCheckpoints(job, 2);

      cluster.kill(cluster.anyBusyTaskManager());
      Wait.untilTrue(
          "the job goes on from a checkpoint",
          () -> cluster.rest().checkpoints(job).path("counts").path("restored").asInt() > 0);
      cluster.rest().awaitAllRunning(job, 4);
      assertThat(cluster.millrace("explain", job).succeeded().out())
          .anyMatch(line -> line.contains("Tasks start with the state of checkpoint"));
      long completed = cluster.rest().checkpoints(job).path("counts").path("completed").asLong();
      cluster.rest().awaitCheckpoints(job, completed + 1);

      cluster.kill("jobmanager");
      cluster.millrace("cluster", "start").succeeded();
      cluster.rest().awaitAllRunning(job, 4);
      assertThat(
              cluster.rest().checkpoints(job).path("latest").path("restored").path("id").asLong())
          .isPositive();
      cluster.rest().awaitCheckpoints(job, 1);

      String stopped = cluster.millrace("stop", job, "-p", savepoints.toString()).savepointPath();
      cluster.run(counts.job(FAST, "-p", "2", "-s", stopped)).succeeded();
      counts.assertExact();
    }
  }

  @Test
  @Behaviour("H4: recovery falls back to the previous checkpoint if the newest is damaged")
  void aDamagedCheckpointIsReplacedByThePreviousOne() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      String job =
          cluster.submit(
              counts.job(
                  SLOW,
                  "-p",
                  "1",
                  "-D",
                  "execution.checkpointing.num-retained=2",
                  "-D",
                  "execution.checkpointing.data-inline-threshold=0 b",
                  "-D",
                  "restart-strategy.type=fixed-delay",
                  "-D",
                  "restart-strategy.fixed-delay.attempts=100",
                  "-D",
                  "restart-strategy.fixed-delay.delay=100 ms"));
      cluster.rest().awaitAllRunning(job, 2);
      for (int i = 0; i < 2; i++) {
        long before = cluster.rest().recordsRead(job);
        Wait.untilTrue("more is read", () -> cluster.rest().recordsRead(job) > before);
        cluster.millrace("checkpoint", job).succeeded();
      }
      Path newest =
          Path.of(
              cluster
                  .rest()
                  .checkpoints(job)
                  .path("latest")
                  .path("completed")
                  .path("external_path")
                  .asText());
      Path file = Path.of(only(newest, "state-"));
      byte[] content = Files.readAllBytes(file);
      content[content.length / 2] ^= 1;
      Files.write(file, content);

      cluster.kill(cluster.anyBusyTaskManager());
      Wait.untilTrue(
          "the job goes on from the first checkpoint",
          () ->
              cluster.rest().checkpoints(job).path("latest").path("restored").path("id").asLong()
                  == 1);
      cluster.rest().awaitAllRunning(job, 2);
      assertThat(
              String.join(" ", cluster.millrace("explain", job).succeeded().out())
                  .replaceAll("\\s+", " "))
          .contains("Tasks go back to checkpoint 1")
          .contains("Checkpoint 2 in " + newest + " cannot be used");
      String stopped = cluster.millrace("stop", job, "-p", savepoints.toString()).savepointPath();

      // A byte inside of a savepoint is found when a job starts with it; it fails at once.
      Path state = Path.of(only(Path.of(stopped), "state-"));
      byte[] whole = Files.readAllBytes(state);
      byte[] changed = whole.clone();
      changed[10] ^= 1;
      Files.write(state, changed);
      Outcome damaged =
          cluster.run(
              counts.job(FAST, "-s", stopped, "-D", "execution.checkpointing.interval=1 h"));
      assertThat(damaged.code()).isEqualTo(3);
      assertThat(String.join(" ", damaged.err()))
          .contains("cannot start with the state of")
          .contains(state.toString())
          .contains("is damaged");
      Files.write(state, whole);

      cluster.run(counts.job(FAST, "-s", stopped, "-rm", "CLAIM")).succeeded();
      counts.assertExact();
      assertThat(Path.of(stopped)).as("no checkpoint of the new job superseded it").exists();
    }
  }
}
