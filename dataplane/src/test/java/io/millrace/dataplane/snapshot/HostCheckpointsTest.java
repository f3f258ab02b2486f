package io.millrace.dataplane.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostCheckpointsTest {
  private static final JobId JOB = JobId.random(new Random(1));
  private static final ExecutionId FIRST = ExecutionId.random(new Random(2));
  private static final ExecutionId SECOND = ExecutionId.random(new Random(3));

  @TempDir private Path directory;

  private CheckpointRequest request(long checkpoint) throws IOException {
    return new CheckpointRequest(
        checkpoint,
        0,
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        Files.createDirectories(directory.resolve("chk-" + checkpoint)).toString(),
        directory.toString(),
        0);
  }

  /** The task is in its step when the host hears that the checkpoint is aborted. */
  @Test
  void taskThatComesAfterTheAbortWritesNoFile() throws Exception {
    HostCheckpoints checkpoints =
        new HostCheckpoints(
            FileSystems.withoutPlugins(),
            Runnable::run,
            new LocalStateCopies(() -> directory.resolve("copies")));
    checkpoints.taskStarted(JOB, FIRST);
    checkpoints.taskStarted(JOB, SECOND);
    CheckpointFiles files = checkpoints.of(JOB, request(1)).files();
    files.giveBack(files.borrow());
    checkpoints.aborted(JOB, 1);

    CheckpointFiles late = checkpoints.of(JOB, request(1)).files();
    assertThatThrownBy(late::borrow).hasMessageContaining("aborted");
    checkpoints.of(JOB, request(1)).leave(SECOND);
    assertThat(directory.resolve("chk-1")).isEmptyDirectory();
    assertThat(checkpoints.open()).isZero();

    CheckpointFiles next = checkpoints.of(JOB, request(2)).files();
    next.giveBack(next.borrow());
    assertThat(directory.resolve("chk-2")).isNotEmptyDirectory();
  }
}
