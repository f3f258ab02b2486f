package io.millrace.worker.taskexecutor;

import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.task.TaskCounters;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Task updates that one JobMaster has not acknowledged. One message is in flight at a time, and
 * updates that arrive meanwhile go into the next one, so that thousands of tasks need few messages
 * and updates stay in order.
 */
final class TaskUpdateQueue {
  private static final Logger LOG = LoggerFactory.getLogger(TaskUpdateQueue.class);
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** Well below the message limit, because failures contain stack traces. */
  private static final int MAX_BATCH_BYTES = 256 * 1024;

  private final TaskExecutorContext worker;
  private final JobMasterGateway jobMaster;
  private final Runnable drained;
  private final Deque<TaskUpdate> updates = new ArrayDeque<>();
  private boolean inFlight;
  private boolean closed;

  /**
   * @param drained called whenever the JobMaster has acknowledged all updates
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
    if (!inFlight) {
      inFlight = true;
      // Posted, so that updates of other tasks that are already in the mailbox go into the same
      // message.
      worker.mailbox().post(this::send);
    }
  }

  boolean isEmpty() {
    return updates.isEmpty();
  }

  /** The executions whose end is not acknowledged. */
  List<ExecutionId> ended() {
    return updates.stream()
        .filter(update -> update.state().isTerminal())
        .map(TaskUpdate::execution)
        .toList();
  }

  /** Discards the remaining updates. */
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
      if (!batch.isEmpty() && size > MAX_BATCH_BYTES) {
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
      LOG.info(
          "{} has not acknowledged {} task updates: {}",
          jobMaster,
          sent,
          Failure.sentence(Failure.unwrap(failure)));
      boolean waited = RpcException.is(failure, RpcError.Code.TIMEOUT);
      worker.mailbox().after(waited ? Duration.ZERO : PAUSE, this::send);
      return;
    }
    for (int i = 0; i < sent; i++) {
      updates.remove();
    }
    if (updates.isEmpty()) {
      inFlight = false;
      drained.run();
    } else {
      send();
    }
  }

  private static int sizeOf(TaskUpdate update) {
    return 256
        + update.counters().map(TaskCounters::accumulatorBytes).orElse(0)
        + update
            .failure()
            .map(failure -> 3 * (failure.message().length() + failure.stack().length()))
            .orElse(0);
  }
}
