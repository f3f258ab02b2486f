package io.millrace.control.checkpoint;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.ha.CheckpointStore;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import io.millrace.task.checkpoint.UnusableStateException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where checkpoints are stored.
 *
 * @param store which checkpoints are complete
 * @param storage their files
 */
public record CheckpointServices(CheckpointStore store, CheckpointStorage storage) {
  /** The name of the directory of files that several checkpoints of a job refer to. */
  static final String SHARED = "shared";

  private static final Logger LOG = LoggerFactory.getLogger(CheckpointServices.class);

  public CheckpointServices {
    Objects.requireNonNull(store);
    Objects.requireNonNull(storage);
  }

  /**
   * Deletes the checkpoints of a job whose result is stored, unless they are retained. Also then
   * those are deleted that the recovery store does not have: a leader that was replaced, or did not
   * learn the outcome of its write, leaves them with their metadata, and no job may start with
   * them. Those that were complete and cannot be used are retained with the others, because a user
   * may repair them. Blocks. Repeating it has no effect.
   */
  public void cleanUp(JobId job, JobStatus status) {
    StoredCheckpoints stored = store.read(job);
    boolean kept = !stored.completed().isEmpty() && isRetained(stored.retention(), status);
    if (kept) {
      deleteIncomplete(stored);
      for (CompletedCheckpoint abandoned : stored.abandoned()) {
        LOG.warn(
            "Job {}: checkpoint {} cannot be used and is kept with the retained ones. Repair or"
                + " delete {}.",
            job,
            abandoned.number(),
            abandoned.directory());
      }
    } else if (!stored.directory().isEmpty()) {
      storage.delete(stored.directory());
    }
    store.remove(job);
  }

  /**
   * Deletes a savepoint or a retained checkpoint, and those of its shared files that no other
   * retained checkpoint needs. Blocks. Can be repeated after a failure: the metadata goes last.
   */
  public void dispose(StoredMetadata found) {
    if (!found.metadata().type().isSavepoint()) {
      disposeShared(found);
    }
    storage.delete(found.directory());
    if (!found.metadata().type().isSavepoint()) {
      deleteIfEmpty(FilePath.parse(found.directory()).parent(), found.metadata().job());
    }
  }

  private void disposeShared(StoredMetadata found) {
    FilePath own = FilePath.parse(found.directory());
    Set<String> unneeded = new LinkedHashSet<>(found.metadata().sharedFiles());
    for (String name : storage.directories(own.parent().toString())) {
      if (unneeded.isEmpty()) {
        return;
      }
      if (!name.equals(own.name())) {
        neededBy(own.parent().child(name)).ifPresentOrElse(unneeded::removeAll, unneeded::clear);
      }
    }
    storage.deleteFiles(shared(own).toString(), List.copyOf(unneeded));
  }

  /** The shared files that a directory needs if it is a checkpoint; empty if it is not known. */
  private Optional<Set<String>> neededBy(FilePath directory) {
    try {
      return Optional.of(storage.readMetadata(directory.toString()).metadata().sharedFiles());
    } catch (UnusableStateException e) {
      LOG.warn("Shared files beside {} are not deleted: {}", directory, e.getMessage());
      return Optional.empty();
    } catch (MillraceException e) {
      if (e.kind() != ErrorKind.USER) {
        throw e;
      }
      return Optional.of(new LinkedHashSet<>()); // It has no metadata.
    }
  }

  /** Deletes the directory of a job whose last checkpoint was deleted. */
  private void deleteIfEmpty(FilePath directory, JobId job) {
    String shared = directory.child(SHARED).toString();
    if (CheckpointLocations.isOfJob(directory, job)
        && storage.files(directory.toString()).isEmpty()
        && storage.directories(directory.toString()).stream().allMatch(SHARED::equals)
        && storage.files(shared).isEmpty()
        && storage.directories(shared).isEmpty()) {
      storage.delete(directory.toString());
    }
  }

  /** The directory of the shared files of a checkpoint. */
  public static FilePath shared(FilePath checkpoint) {
    return checkpoint.parent().child(SHARED);
  }

  private void deleteIncomplete(StoredCheckpoints stored) {
    if (stored.directory().isEmpty()) {
      return;
    }
    for (String name : storage.directories(stored.directory())) {
      if (CheckpointLocations.isCheckpoint(name)
          && Stream.concat(stored.completed().stream(), stored.abandoned().stream())
              .noneMatch(kept -> FilePath.parse(kept.directory()).name().equals(name))) {
        storage.delete(FilePath.parse(stored.directory()).child(name).toString());
      }
    }
  }

  /** Whether the checkpoints of a job that ended with this status are kept. */
  public static boolean isRetained(CheckpointRetention retention, JobStatus status) {
    return switch (status) {
      case CANCELED -> retention == CheckpointRetention.RETAIN_ON_CANCELLATION;
      case FAILED -> retention != CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS;
      default -> false;
    };
  }
}
