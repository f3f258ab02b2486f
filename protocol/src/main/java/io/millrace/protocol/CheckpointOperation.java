package io.millrace.protocol;

import io.millrace.core.error.Failure;
import io.millrace.core.id.Id128;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.Objects;
import java.util.Optional;

/**
 * A checkpoint, savepoint or stop that a user requested.
 *
 * @param id chosen by the caller, so that a repeated request has no effect
 * @param completed the stored checkpoint of an operation that has succeeded
 * @param failure why it failed; while both are empty, it is in progress
 */
public record CheckpointOperation(
    Id128 id,
    CheckpointRequest.Type type,
    Optional<CompletedCheckpoint> completed,
    Optional<Failure> failure) {
  public CheckpointOperation {
    Objects.requireNonNull(id);
    Objects.requireNonNull(type);
    Objects.requireNonNull(completed);
    Objects.requireNonNull(failure);
  }

  public boolean isDone() {
    return completed.isPresent() || failure.isPresent();
  }
}
