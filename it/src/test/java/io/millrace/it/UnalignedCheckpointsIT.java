package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.CountsSlowly;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checkpoints of a job whose queues are full. */
class UnalignedCheckpointsIT {
  private static final int KEYS = 10;

  /** At the slow rate the job would take half an hour. */
  private static final int PER_KEY = 40_000;

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour(
      "H4: a job under back pressure completes unaligned checkpoints and counts exactly although a"
          + " TaskManager is killed")
  void countsStayExactUnderBackPressureAlthoughATaskManagerIsKilled() throws Exception {
    Path counts = Files.createTempDirectory(SHELL.directory(), "counts");
    Path slow = Files.createTempFile(SHELL.directory(), "slow", "");
    Path program = ProgramJar.of(SHELL.directory(), CountsSlowly.class);
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "3", "--slots", "1")) {
      String job =
          cluster.submit(
              "-p",
              "2",
              "-D",
              "execution.checkpointing.interval=1 s",
              "-D",
              "execution.checkpointing.unaligned.enabled=true",
              "-D",
              "execution.checkpointing.aligned-checkpoint-timeout=100 ms",
              "-D",
              "execution.checkpointing.tolerable-failed-checkpoints=100",
              "-D",
              "restart-strategy.type=fixed-delay",
              "-D",
              "restart-strategy.fixed-delay.attempts=100",
              "-D",
              "restart-strategy.fixed-delay.delay=100 ms",
              program.toString(),
              counts.toString(),
              String.valueOf(KEYS * PER_KEY),
              String.valueOf(KEYS),
              slow.toString());
      cluster.rest().awaitAllRunning(job, 6);
      // Of the last checkpoint, so that the queues were full.
      awaitOvertaken(cluster, job, 0);

      cluster.kill(cluster.anyBusyTaskManager());
      Wait.untilTrue(
          "the job goes on from a checkpoint",
          () -> cluster.rest().checkpoints(job).path("counts").path("restored").asInt() > 0);
      cluster.rest().awaitAllRunning(job, 6);
      long completed = cluster.rest().checkpoints(job).path("counts").path("completed").asLong();
      awaitOvertaken(cluster, job, completed);

      Files.delete(slow);
      Wait.untilTrue("the job finishes", () -> cluster.rest().state(job).equals("FINISHED"));
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

  /** Waits for another completed checkpoint with records in it. */
  private static void awaitOvertaken(Cluster cluster, String job, long completed) {
    Wait.untilTrue(
        "a checkpoint has records that barriers overtook",
        () -> {
          JsonNode now = cluster.rest().checkpoints(job);
          return now.path("counts").path("completed").asLong() > completed
              && now.path("latest").path("completed").path("persisted_data").asLong() > 0;
        });
  }
}
