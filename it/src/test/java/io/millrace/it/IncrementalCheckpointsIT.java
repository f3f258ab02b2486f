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
