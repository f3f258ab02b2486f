package io.millrace.worker.taskexecutor;

import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one JobMaster is still to hear of its tasks here. One message is under way at a time and all
 * that happens meanwhile goes into the next, so that thousands of tasks make a handful of messages,
 * in the order in which things happened.
 */
final class TaskUpdateQueue {
  private static final Logger LOG = LoggerFactory.getLogger(TaskUpdateQueue.class);
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** Well below the largest message, since failures carry stack traces. */
  private static final int LARGEST_BATCH = 256 * 1024;

  private final TaskExecutorContext worker;
  private final JobMasterGateway jobMaster;
  private final Runnable drained;
  private final Deque<TaskUpdate> updates = new ArrayDeque<>();
  private boolean busy;
  private boolean closed;

  /**
   * @param drained runs whenever the JobMaster has acknowledged everything
   */
  TaskUpdateQueue(TaskExecutorContext worker, JobMasterGateway jobMaster, Runnable drained) {
    this.worker = worker;
    this.jobMaster = jobMaster;
    this.drained = drained;
  }

  void add(TaskUpdate update) {
    if (closed) {
      return;
    }
    updates.add(update);
    if (!busy) {
      busy = true;
      // What other tasks have already put into the mailbox goes along.
      worker.mailbox().post(this::send);
    }
  }

  boolean isEmpty() {
    return updates.isEmpty();
  }

  /** Those whose end has not been acknowledged. */
  List<ExecutionId> ended() {
    return updates.stream()
        .filter(update -> update.state().isTerminal())
        .map(TaskUpdate::execution)
        .toList();
  }

  /** The JobMaster is not to hear the rest. */
  void close() {
    closed = true;
    updates.clear();
  }

  private void send() {
    if (closed) {
      return;
    }
    List<TaskUpdate> batch = new ArrayList<>();
    int size = 0;
    for (TaskUpdate update : updates) {
      size += sizeOf(update);
      if (!batch.isEmpty() && size > LARGEST_BATCH) {
        break;
      }
      batch.add(update);
    }
    worker.then(
        jobMaster.updateTasks(new TaskUpdates(worker.id(), batch)),
        (acknowledged, failure) -> answered(batch.size(), failure));
  }

  private void answered(int sent, Throwable failure) {
    if (closed) {
      return;
    }
    if (failure != null) {
      LOG.info("{} did not take {} task updates: {}", jobMaster, sent, failure.getMessage());
      boolean waited = RpcException.is(failure, RpcError.Code.TIMEOUT);
      worker.mailbox().after(waited ? Duration.ZERO : PAUSE, this::send);
      return;
    }
    for (int i = 0; i < sent; i++) {
      updates.remove();
    }
    if (updates.isEmpty()) {
      busy = false;
      drained.run();
    } else {
      send();
    }
  }

  private static int sizeOf(TaskUpdate update) {
    return 256
        + update
            .failure()
            .map(failure -> 3 * (failure.message().length() + failure.stack().length()))
            .orElse(0);
  }
}
