package io.millrace.protocol.reason;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.WorkerId;
import io.millrace.task.checkpoint.StateAssignment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Why a checkpoint is not triggered, or does not complete. */
public sealed interface CheckpointReason extends Reason {
  /** A task does not run. */
  record TaskNotRunning(String task) implements CheckpointReason {
    public TaskNotRunning {
      Objects.requireNonNull(task);
    }
  }

  /** All tasks have finished. */
  record AllTasksFinished() implements CheckpointReason {}

  /**
   * Tasks did not store their state in time.
   *
   * @param missing some of them, by name
   * @param missingCount how many there are
   */
  record CheckpointExpired(Duration timeout, List<String> missing, int missingCount)
      implements CheckpointReason {
    public CheckpointExpired {
      Objects.requireNonNull(timeout);
      missing = OrderedCopies.list(missing);
    }
  }

  /** A TaskManager did not take the request for the checkpoint. */
  record TriggerNotAccepted(WorkerId worker, String message) implements CheckpointReason {
    public TriggerNotAccepted {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(message);
    }
  }

  /** A task could not store its state. */
  record SnapshotFailed(String task, String message) implements CheckpointReason {
    public SnapshotFailed {
      Objects.requireNonNull(task);
      Objects.requireNonNull(message);
    }
  }

  /** The directory, the metadata or the record of the checkpoint could not be written. */
  record CheckpointStorageFailed(String message) implements CheckpointReason {
    public CheckpointStorageFailed {
      Objects.requireNonNull(message);
    }
  }

  /**
   * Tasks refer to shared files of earlier checkpoints that are deleted.
   *
   * @param file one of them
   * @param count how many there are
   */
  record SharedFilesDeleted(String file, int count) implements CheckpointReason {
    public SharedFilesDeleted {
      Objects.requireNonNull(file);
    }
  }

  /** Tasks of the job failed or are being ended. */
  record TasksEnding() implements CheckpointReason {}

  /** A later checkpoint completed first. */
  record CheckpointSubsumed(long later) implements CheckpointReason {}

  /** The job is being stopped with a savepoint. */
  record StopInProgress() implements CheckpointReason {}

  /**
   * The savepoint of a stop is stored, but tasks failed before all had finished.
   *
   * @param directory that of the savepoint
   */
  record StopInterrupted(String directory) implements CheckpointReason {
    public StopInterrupted {
      Objects.requireNonNull(directory);
    }
  }

  /** The state of a savepoint or checkpoint does not fit the job that should start with it. */
  record StateDoesNotFit(String path, List<StateAssignment.Misfit> misfits)
      implements CheckpointReason {
    public StateDoesNotFit {
      Objects.requireNonNull(path);
      misfits = OrderedCopies.list(misfits);
    }
  }

  /**
   * The state of the savepoint that the job was started with cannot be used.
   *
   * @param message what is wrong with it
   */
  record SavepointUnusable(String path, String message) implements CheckpointReason {
    public SavepointUnusable {
      Objects.requireNonNull(path);
      Objects.requireNonNull(message);
    }
  }

  /** No stored checkpoint of the job can be read. */
  record NoReadableCheckpoint(List<String> errors) implements CheckpointReason {
    public NoReadableCheckpoint {
      errors = OrderedCopies.list(errors);
    }
  }

  /** More consecutive checkpoints failed than the configuration tolerates. */
  record TooManyFailedCheckpoints(int failed, int tolerated, Reason last)
      implements CheckpointReason {
    public TooManyFailedCheckpoints {
      Objects.requireNonNull(last);
    }
  }
}
