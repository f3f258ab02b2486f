package io.millrace.control.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.reason.Reason;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What the coordinator wants done. */
public sealed interface CheckpointAction {
  /**
   * Reserve the number in the recovery store, create the directory, then report {@link
   * CheckpointEvent.Prepared} or {@link CheckpointEvent.StorageFailed}.
   *
   * @param directory the directory of a savepoint; empty for that of the job's checkpoints
   */
  record Prepare(long checkpoint, CheckpointRequest.Type type, Optional<String> directory)
      implements CheckpointAction {
    public Prepare {
      Objects.requireNonNull(type);
      Objects.requireNonNull(directory);
    }
  }

  /**
   * Send one message to a TaskManager.
   *
   * @param tasks its tasks that take part
   * @param sources those of them at which barriers start
   */
  record Trigger(
      WorkerId worker,
      CheckpointRequest request,
      List<ExecutionId> tasks,
      List<ExecutionId> sources)
      implements CheckpointAction {
    public Trigger {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(request);
      tasks = OrderedCopies.list(tasks);
      sources = OrderedCopies.list(sources);
    }
  }

  /**
   * Write the metadata, then the record in the recovery store, then report {@link
   * CheckpointEvent.Stored} or {@link CheckpointEvent.StorageFailed}.
   *
   * @param checkpoint what the recovery store gets
   * @param retained all checkpoints that the recovery store has afterwards, in order of their
   *     numbers; without this one if it is a savepoint
   * @param abandoned see {@link io.millrace.protocol.StoredCheckpoints#abandoned()}
   */
  record Store(
      CompletedCheckpoint checkpoint,
      CheckpointMetadata metadata,
      List<CompletedCheckpoint> retained,
      List<CompletedCheckpoint> abandoned)
      implements CheckpointAction {
    public Store {
      Objects.requireNonNull(checkpoint);
      Objects.requireNonNull(metadata);
      retained = OrderedCopies.list(retained);
      abandoned = OrderedCopies.list(abandoned);
    }
  }

  /**
   * Write to the recovery store that only these checkpoints are left.
   *
   * @param retained in order of their numbers
   * @param abandoned see {@link io.millrace.protocol.StoredCheckpoints#abandoned()}
   */
  record Retain(List<CompletedCheckpoint> retained, List<CompletedCheckpoint> abandoned)
      implements CheckpointAction {
    public Retain {
      retained = OrderedCopies.list(retained);
      abandoned = OrderedCopies.list(abandoned);
    }
  }

  /**
   * Delete the checkpoint or savepoint that the job was started with, and that belongs to it, in
   * the background.
   */
  record DiscardClaimed(RestoredCheckpoint claimed) implements CheckpointAction {
    public DiscardClaimed {
      Objects.requireNonNull(claimed);
    }
  }

  /**
   * The savepoint of a stop is complete: all tasks finish when they hear of it. If one of them
   * fails instead, all have to start again.
   */
  record StopTasks() implements CheckpointAction {}

  /** Tell TaskManagers that a checkpoint is complete: transactions of their tasks are committed. */
  record NotifyCompleted(long checkpoint, List<WorkerId> workers) implements CheckpointAction {
    public NotifyCompleted {
      workers = OrderedCopies.list(workers);
    }
  }

  /** Tell TaskManagers that a checkpoint will not complete. */
  record NotifyAborted(long checkpoint, List<WorkerId> workers) implements CheckpointAction {
    public NotifyAborted {
      workers = OrderedCopies.list(workers);
    }
  }

  /** Delete a directory with all its files, in the background. */
  record Discard(String directory) implements CheckpointAction {
    public Discard {
      Objects.requireNonNull(directory);
    }
  }

  /** Delete shared files that no checkpoint needs any more, in the background. */
  record DiscardShared(List<String> files) implements CheckpointAction {
    public DiscardShared {
      files = OrderedCopies.list(files);
    }
  }

  /**
   * Delete the shared files that checkpoints have written and that are not needed, in the
   * background. Their names are not known: tasks report them only when all are stored.
   *
   * @param from the number of the first of these checkpoints
   * @param to the number of the last
   * @param needed files that stay
   */
  record SweepShared(long from, long to, List<String> needed) implements CheckpointAction {
    public SweepShared {
      needed = OrderedCopies.list(needed);
    }
  }

  /** Answer a request of a user. */
  record Answer(long request, Optional<CompletedCheckpoint> completed, Optional<Reason> failed)
      implements CheckpointAction {
    public Answer {
      if (completed.isPresent() == failed.isPresent()) {
        throw new IllegalArgumentException("exactly one of completed and failed must be present");
      }
    }
  }

  /** Restart the job from its last checkpoint, or fail it, as its restart strategy says. */
  record FailJob(Reason reason) implements CheckpointAction {
    public FailJob {
      Objects.requireNonNull(reason);
    }
  }

  /** The status of a checkpoint changed; for the journal and the statistics. */
  record Note(CheckpointProgress progress) implements CheckpointAction {
    public Note {
      Objects.requireNonNull(progress);
    }
  }
}
