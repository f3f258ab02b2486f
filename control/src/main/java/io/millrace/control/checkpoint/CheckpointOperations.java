package io.millrace.control.checkpoint;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.Id128;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.StopInterrupted;
import io.millrace.protocol.text.ReasonText;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The checkpoints, savepoints and stops that users requested of one job, with their outcomes. A
 * stop has succeeded when the job has finished, not when its savepoint is stored.
 */
public final class CheckpointOperations {
  /** The number of ended operations whose outcome is kept; the oldest ones are dropped first. */
  private static final int CAPACITY = 50;

  private final Map<Id128, CheckpointOperation> operations = new LinkedHashMap<>();

  /** The savepoints of stops that wait for the end of the job. */
  private final Map<Id128, CompletedCheckpoint> stopping = new LinkedHashMap<>();

  /** Whether the operation is new. */
  public boolean start(Id128 id, CheckpointRequest.Type type) {
    if (operations.containsKey(id)) {
      return false;
    }
    operations.put(id, new CheckpointOperation(id, type, Optional.empty(), Optional.empty()));
    return true;
  }

  /** The checkpoint of an operation is stored. */
  public void stored(Id128 id, CompletedCheckpoint completed) {
    if (completed.type().stops()) {
      stopping.put(id, completed);
    } else {
      succeeded(id, completed);
    }
  }

  private void succeeded(Id128 id, CompletedCheckpoint completed) {
    end(
        new CheckpointOperation(
            id, operations.get(id).type(), Optional.of(completed), Optional.empty()));
  }

  public void failed(Id128 id, Failure failure) {
    end(
        new CheckpointOperation(
            id, operations.get(id).type(), Optional.empty(), Optional.of(failure)));
  }

  /** All tasks have finished: stops have succeeded. */
  public void jobFinished() {
    stopping.forEach(this::succeeded);
    stopping.clear();
  }

  /** Tasks of the job failed or are cancelled: they do not finish after the savepoint of a stop. */
  public void tasksFailed() {
    stopping.forEach(
        (id, savepoint) ->
            failed(
                id,
                Failure.of(
                    ErrorKind.EXTERNAL,
                    ReasonText.of(new StopInterrupted(savepoint.directory())))));
    stopping.clear();
  }

  private void end(CheckpointOperation ended) {
    operations.remove(ended.id());
    operations.put(ended.id(), ended);
    Iterator<CheckpointOperation> oldest = operations.values().iterator();
    while (operations.size() > CAPACITY && oldest.hasNext()) {
      if (oldest.next().isDone()) {
        oldest.remove();
      }
    }
  }

  /** All operations, newest first. */
  public List<CheckpointOperation> all() {
    List<CheckpointOperation> all = new ArrayList<>(operations.values());
    Collections.reverse(all);
    return all;
  }
}
