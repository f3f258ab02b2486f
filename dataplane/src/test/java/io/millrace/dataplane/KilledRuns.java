package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.StateAssignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Runs of a job that are killed at random moments, each from the last checkpoint of the run before
 * and with a parallelism of its own, until the last one ends.
 */
final class KilledRuns {
  private final Path directory;
  private final Random random;

  /**
   * @param directory for checkpoints
   */
  KilledRuns(Path directory, Random random) {
    this.directory = directory;
    this.random = random;
  }

  /** Lets the runs of a program read all events. Its results are with these. */
  void run(Replay replay, CheckpointTest.Program program, int... parallelisms) {
    List<StateAssignment> restored = new ArrayList<>();
    int events = replay.size();
    long checkpoint = 0;
    for (int attempt = 0; attempt < parallelisms.length; attempt++) {
      List<DataPlane> hosts = CheckpointTest.hosts(1 + random.nextInt(2));
      try {
        TestRun run =
            TestRun.of(
                CheckpointTest.graph(replay, program, parallelisms[attempt]),
                hosts.toArray(new DataPlane[0]));
        restored.forEach(run::restoring);
        run.deploy(1, subtask -> subtask % hosts.size());
        boolean last = attempt == parallelisms.length - 1;
        int target = last ? events : events * (attempt + 1) / (parallelisms.length + 1);
        if (last) {
          replay.allowAll();
          run.awaitEnd();
        } else {
          run.awaitRunning();
          for (int i = 0; i < 1 + random.nextInt(2); i++) {
            int before = replay.eventsRead();
            replay.allow(target - random.nextInt(20) + 10 * i);
            if (i == 0) {
              run.await("some events are read", () -> replay.eventsRead() > before);
            }
            CheckpointRequest request =
                request(
                    directory,
                    ++checkpoint,
                    CheckpointRequest.Type.CHECKPOINT,
                    random.nextInt(3000));
            // Records flow while the barriers do.
            run.trigger(request);
            run.awaitStored(checkpoint);
            restored = List.of(run.assignment(request));
            if (random.nextBoolean()) {
              run.complete(checkpoint);
            }
          }
          replay.allow(target + 30);
        }
        assertThat(run.failures()).isEmpty();
        assertThat(run.violations()).isEmpty();
      } finally {
        hosts.forEach(DataPlane::close);
      }
    }
  }

  static CheckpointRequest request(
      Path directory, long checkpoint, CheckpointRequest.Type type, int inlineThreshold) {
    try {
      return new CheckpointRequest(
          checkpoint,
          System.currentTimeMillis(),
          type,
          CheckpointRequest.Barriers.ALIGNED,
          Files.createDirectories(
                  directory
                      .resolve(Long.toHexString(System.nanoTime()))
                      .resolve("chk-" + checkpoint))
              .toString(),
          directory.toString(),
          inlineThreshold);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
