package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.CountsAfterFailure;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that are restored from copies of their state on the disk of their TaskManager. */
class LocalRecoveryIT {
  private static final int KEYS = 10;

  /** At the slow rate the job would take many minutes. */
  private static final int PER_KEY = 40_000;

  @RegisterExtension static final Shell SHELL = new Shell();

  @ParameterizedTest
  @ValueSource(strings = {"hashmap", "rocksdb"})
  @Behaviour("H4: a task that restarts on its TaskManager reads local copies of its state")
  void aFailedTaskIsRestoredAlthoughTheFilesOfTheCheckpointAreGone(String backend)
      throws Exception {
    Path counts = Files.createTempDirectory(SHELL.directory(), "counts");
    Path slow = Files.createTempFile(SHELL.directory(), "slow", "");
    Path fail = SHELL.directory().resolve("fail-" + backend);
    Path program = ProgramJar.of(SHELL.directory(), CountsAfterFailure.class);
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      String job =
          cluster.submit(
              "-p",
              "2",
              "-D",
              "execution.state-recovery.from-local=true",
              "-D",
              "execution.checkpointing.interval=1 h",
              "-D",
              "execution.checkpointing.incremental=true",
              "-D",
              "execution.checkpointing.data-inline-threshold=0 b",
              "-D",
              "state.backend.type=" + backend,
              "-D",
              "restart-strategy.type=fixed-delay",
              "-D",
              "restart-strategy.fixed-delay.attempts=1",
              "-D",
              "restart-strategy.fixed-delay.delay=100 ms",
              program.toString(),
              counts.toString(),
              String.valueOf(KEYS * PER_KEY),
              String.valueOf(KEYS),
              slow.toString(),
              fail.toString());
      cluster.rest().awaitAllRunning(job, 4);
      Wait.untilTrue("records are read", () -> cluster.rest().recordsRead(job) > 0);
      cluster.millrace("checkpoint", job).succeeded();
      List<Path> stored = stateFiles(cluster.directory().resolve("checkpoints"));
      assertThat(stored).isNotEmpty();
      for (Path file : stored) {
        Files.delete(file);
      }

      Files.createFile(fail);
      Wait.untilTrue("a task fails", () -> cluster.rest().failures(job) == 1);
      cluster.rest().awaitAllRunning(job, 4);
      assertThat(
              cluster
                  .rest()
                  .get("/jobs/" + job + "/checkpoints")
                  .path("counts")
                  .path("restored")
                  .asInt())
          .isPositive();

      Files.delete(slow);
      Wait.untilTrue("the job finishes", () -> cluster.rest().state(job).equals("FINISHED"));
      assertThat(cluster.rest().failures(job)).isEqualTo(1);
    }
    try (Stream<Path> files = Files.list(counts)) {
      assertThat(files.map(file -> file.getFileName().toString()).sorted())
          .containsExactlyElementsOf(
              Stream.iterate(0, key -> key + 1)
                  .limit(KEYS)
                  .map(key -> key + "-" + PER_KEY)
                  .toList());
    }
  }

  /** All files of the checkpoints except for their metadata. */
  private static List<Path> stateFiles(Path checkpoints) throws IOException {
    try (Stream<Path> files = Files.walk(checkpoints)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("_"))
          .toList();
    }
  }
}
