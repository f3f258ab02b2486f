package io.millrace.task.checkpoint;

import io.millrace.core.error.Failure;
import java.util.Objects;

/** Why a task takes no part in a checkpoint, which cannot complete then. */
public sealed interface DeclineCause {
  /** A sentence. */
  String message();

  /**
   * The task ends. Nothing is wrong with the job or its storage: the checkpoint does not count as a
   * failed one.
   */
  record TaskIsEnding(String message) implements DeclineCause {
    public TaskIsEnding {
      Objects.requireNonNull(message);
    }
  }

  /** The task could not take or store its snapshot. */
  record SnapshotNotStored(Failure failure) implements DeclineCause {
    public SnapshotNotStored {
      Objects.requireNonNull(failure);
    }

    @Override
    public String message() {
      return failure.message();
    }
  }
}
