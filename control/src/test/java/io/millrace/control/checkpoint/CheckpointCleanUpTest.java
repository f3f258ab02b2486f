package io.millrace.control.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.testing.Checkpoints;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of the checkpoints of an ended job. */
class CheckpointCleanUpTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));

  private final CheckpointServices services = Checkpoints.in(new MemoryHaStore());

  @TempDir Path directory;

  @BeforeEach
  void storeCheckpoints() throws IOException {
    for (String name :
        List.of("chk-3", "chk-4", "chk-7", "chk-10", "chk-7-copy", "chk-", "shared")) {
      Files.createDirectories(directory.resolve(name));
      Files.writeString(directory.resolve(name).resolve("_metadata"), name);
    }
    services.store().begin(JOB, true, 1);
    services
        .store()
        .reserve(JOB, 10, directory.toString(), CheckpointRetention.RETAIN_ON_CANCELLATION, 1);
    services.store().complete(JOB, List.of(checkpoint(3), checkpoint(4)), List.of(), 1);
  }

  /** Checkpoints 7 and 10 were not recorded; other directories are not the job's. */
  @Test
  void retainsOnlyCheckpointsThatTheRecoveryStoreHas() throws IOException {
    services.cleanUp(JOB, JobStatus.CANCELED);
    assertThat(left()).containsExactly("chk-", "chk-3", "chk-4", "chk-7-copy", "shared");
    assertThat(services.store().read(JOB)).isEqualTo(StoredCheckpoints.NONE);

    services.cleanUp(JOB, JobStatus.CANCELED);
    assertThat(left()).hasSize(5);
  }

  @Test
  @Behaviour("H4: a damaged checkpoint is retained with the others, so that it can be repaired")
  void retainsCheckpointsThatCannotBeUsed() throws IOException {
    services.store().complete(JOB, List.of(checkpoint(4)), List.of(checkpoint(7)), 1);
    services.cleanUp(JOB, JobStatus.CANCELED);
    assertThat(left()).containsExactly("chk-", "chk-4", "chk-7", "chk-7-copy", "shared");
  }

  @Test
  void deletesAllCheckpointsOfAFinishedJob() {
    services.cleanUp(JOB, JobStatus.FINISHED);
    assertThat(directory).doesNotExist();
  }

  private List<String> left() throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  private CompletedCheckpoint checkpoint(long number) {
    return new CompletedCheckpoint(
        number,
        number,
        CheckpointRequest.Type.CHECKPOINT,
        directory.resolve("chk-" + number).toString(),
        1);
  }
}
