package io.millrace.control.checkpoint;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.CheckpointStore;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.fs.FilePath;
import io.millrace.core.id.JobId;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.util.Objects;

/**
 * Where checkpoints are stored.
 *
 * @param store which checkpoints are complete
 * @param storage their files
 */
public record CheckpointServices(CheckpointStore store, CheckpointStorage storage) {
  public CheckpointServices {
    Objects.requireNonNull(store);
    Objects.requireNonNull(storage);
  }

  /**
   * Deletes the checkpoints of a job whose result is stored, unless they are retained. Also then
   * those are deleted that the recovery store does not have: a leader that was replaced, or did not
   * learn the outcome of its write, leaves them with their metadata, and no job may start with
   * them. Blocks. Repeating it has no effect.
   */
  public void cleanUp(JobId job, JobStatus status) {
    StoredCheckpoints stored = store.read(job);
    boolean kept = !stored.completed().isEmpty() && isRetained(stored.retention(), status);
    if (kept) {
      deleteIncomplete(stored);
    } else if (!stored.directory().isEmpty()) {
      storage.delete(stored.directory());
    }
    store.remove(job);
  }

  private void deleteIncomplete(StoredCheckpoints stored) {
    if (stored.directory().isEmpty()) {
      return;
    }
    for (String name : storage.directories(stored.directory())) {
      if (CheckpointLocations.isCheckpoint(name)
          && stored.completed().stream()
              .noneMatch(kept -> FilePath.parse(kept.directory()).name().equals(name))) {
        storage.delete(FilePath.parse(stored.directory()).child(name).toString());
      }
    }
  }

  private static boolean isRetained(CheckpointRetention retention, JobStatus status) {
    return switch (status) {
      case CANCELED -> retention == CheckpointRetention.RETAIN_ON_CANCELLATION;
      case FAILED -> retention != CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS;
      default -> false;
    };
  }
}
