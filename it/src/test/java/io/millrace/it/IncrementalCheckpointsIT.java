package io.millrace.it;

import static io.millrace.it.ExactCounts.FAST;
import static io.millrace.it.ExactCounts.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

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

/** Incremental checkpoints of RocksDB, whose files several checkpoints share. */
class IncrementalCheckpointsIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private ExactCounts counts;
  private Path savepoints;

  @BeforeEach
  void prepare() throws IOException {
    counts = new ExactCounts(SHELL.directory());
    savepoints = Files.createTempDirectory(SHELL.directory(), "savepoints");
  }

  private static List<String> rocksDb(String... more) {
    List<String> options = new ArrayList<>(ExactCounts.RESTARTS);
    options.addAll(
        List.of(
            "-D", "state.backend.type=rocksdb", "-D", "execution.checkpointing.incremental=true"));
    options.addAll(List.of(more));
    return options;
  }

  @Test
  @Behaviour(
      "H4: a job with incremental checkpoints of RocksDB counts exactly although a TaskManager and"
          + " the JobManager are killed")
  void countsStayExactAlthoughProcessesAreKilled() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "3", "--slots", "1")) {
      String job =
          cluster.submit(
              counts.job(
                  SLOW, rocksDb("-p", "2", "-D", "execution.checkpointing.interval=500 ms")));
      cluster.rest().awaitAllRunning(job, 4);
      cluster.rest().awaitCheckpoints(job, 3);
      assertThat(names(shared(cluster, job))).as("files of RocksDB").isNotEmpty();

      String killed = cluster.anyBusyTaskManager();
      cluster.kill(killed);
      cluster.rest().awaitRestored(job);
      cluster.rest().awaitAllRunning(job, 4);
      cluster.rest().awaitCheckpoints(job, cluster.rest().completedCheckpoints(job) + 2);

      cluster.kill("jobmanager");
      cluster.millrace("cluster", "start").succeeded();
      cluster.rest().awaitAllRunning(job, 4);
      assertThat(
              cluster.rest().checkpoints(job).path("latest").path("restored").path("id").asLong())
          .isPositive();
      cluster.rest().awaitCheckpoints(job, 1);

      String stopped = cluster.millrace("stop", job, "-p", savepoints.toString()).savepointPath();
      cluster.run(counts.job(FAST, rocksDb("-p", "2", "-s", stopped))).succeeded();
      counts.assertExact();
      assertThat(localState(cluster)).as("local files of RocksDB").isEmpty();
      assertThat(cluster.directory().resolve("checkpoints").resolve(job))
          .as("checkpoints of the ended job")
          .doesNotExist();
    }
  }

  @Test
  @Behaviour(
      "A2: a job that starts with a retained incremental checkpoint leaves it alone, or deletes it"
          + " with the files that no other checkpoint needs")
  void retainedCheckpointsKeepTheFilesThatTheyNeed() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "1")) {
      String retain =
          "execution.checkpointing.externalized-checkpoint-retention=RETAIN_ON_CANCELLATION";
      String first =
          cluster.submit(
              counts.job(
                  SLOW, rocksDb("-D", retain, "-D", "execution.checkpointing.num-retained=2")));
      cluster.rest().awaitAllRunning(first, 2);
      for (int i = 0; i < 3; i++) {
        long before = cluster.rest().recordsRead(first);
        Wait.untilTrue("more is read", () -> cluster.rest().recordsRead(first) > before);
        cluster.millrace("checkpoint", first).succeeded();
      }
      Outcome early = cluster.millrace("savepoint", "dispose", checkpoint(cluster, first, 3));
      assertThat(early.refusedInOneLine()).contains("has not ended");
      cluster.millrace("cancel", first).succeeded();
      assertThat(names(shared(cluster, first).getParent()))
          .containsExactly("chk-2", "chk-3", "shared");
      List<String> all = names(shared(cluster, first));

      // NO_CLAIM: the job needs it until its first checkpoint, and never deletes it.
      String second =
          cluster.submit(counts.job(SLOW, rocksDb("-s", checkpoint(cluster, first, 3))));
      cluster.rest().awaitAllRunning(second, 2);
      Outcome needed = cluster.millrace("savepoint", "dispose", checkpoint(cluster, first, 3));
      assertThat(needed.refusedInOneLine())
          .contains("Job " + second + " was started with " + checkpoint(cluster, first, 3));
      cluster.millrace("checkpoint", second).succeeded();
      assertThat(names(shared(cluster, first))).isEqualTo(all);
      cluster.millrace("cancel", second).succeeded();

      // CLAIM: the older checkpoint can still be used.
      String third =
          cluster.submit(
              counts.job(SLOW, rocksDb("-s", checkpoint(cluster, first, 3), "-rm", "CLAIM")));
      cluster.rest().awaitAllRunning(third, 2);
      assertThat(names(shared(cluster, first))).isEqualTo(all);
      cluster.millrace("checkpoint", third).succeeded();
      Wait.untilTrue(
          "the claimed checkpoint is deleted",
          () -> !Files.exists(Path.of(checkpoint(cluster, first, 3))));
      assertThat(names(shared(cluster, first)))
          .as("without the files of the claimed checkpoint alone")
          .isNotEmpty()
          .isSubsetOf(all)
          .hasSizeLessThan(all.size());
      cluster.millrace("cancel", third).succeeded();

      cluster
          .run(counts.job(FAST, rocksDb("-s", checkpoint(cluster, first, 2), "-p", "1")))
          .succeeded();
      counts.assertExact();
      cluster.millrace("savepoint", "dispose", checkpoint(cluster, first, 2)).succeeded();
      assertThat(cluster.directory().resolve("checkpoints")).isEmptyDirectory();
    }
  }

  private static String checkpoint(Cluster cluster, String job, int number) {
    return shared(cluster, job).resolveSibling("chk-" + number).toString();
  }

  private static Path shared(Cluster cluster, String job) {
    return cluster.directory().resolve("checkpoints").resolve(job).resolve("shared");
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** What tasks have left in the directories of TaskManagers. */
  private static List<Path> localState(Cluster cluster) throws IOException {
    List<Path> left = new ArrayList<>();
    try (Stream<Path> tree = Files.walk(cluster.directory().resolve("tmp"))) {
      for (Path place : tree.filter(path -> path.endsWith("local-state")).toList()) {
        try (Stream<Path> files = Files.walk(place)) {
          files
              .filter(Files::isRegularFile)
              .filter(file -> !file.toString().endsWith(".so"))
              .forEach(left::add);
        }
      }
    }
    return left;
  }
}
