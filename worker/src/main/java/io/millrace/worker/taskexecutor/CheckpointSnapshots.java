package io.millrace.worker.taskexecutor;

import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.rpc.Acknowledge;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers the snapshots of a job's tasks on this TaskManager and sends those of a checkpoint to the
 * JobMaster together. Lives in the mailbox of the TaskExecutor.
 */
final class CheckpointSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointSnapshots.class);

  /** Bytes of snapshots in a message, which is limited to 1 MiB. */
  private static final long MESSAGE_BYTES = 512 << 10;

  /** About as many bytes has a snapshot or a handle without the state that is inline. */
  private static final long HANDLE_BYTES = 200;

  private static final Duration RETRY_DELAY = Duration.ofMillis(500);

  private final TaskExecutorContext worker;

  /**
   * Checkpoints whose snapshots were sent or that were declined, until the JobMaster says what
   * became of them.
   */
  private final Set<Long> unanswered = new LinkedHashSet<>();

  private final Map<Long, Pending> pending = new LinkedHashMap<>();

  /**
   * What tasks reported about checkpoints that are not triggered here, each ready to be reported
   * again. Barriers come from other TaskManagers and may be faster than the message of the
   * JobMaster.
   */
  private final Map<Long, List<Runnable>> early = new LinkedHashMap<>();

  private static final class Pending {
    private final JobMasterSession session;
    private final Set<ExecutionId> missing;
    private final List<TaskSnapshot> snapshots = new ArrayList<>();

    Pending(JobMasterSession session, List<ExecutionId> tasks) {
      this.session = session;
      this.missing = new LinkedHashSet<>(tasks);
    }
  }

  CheckpointSnapshots(TaskExecutorContext worker) {
    this.worker = worker;
  }

  /**
   * Expects snapshots; those that are stored already count. A repeated request changes nothing.
   * Returns whether it is new.
   */
  boolean expect(TriggerCheckpoint request, JobMasterSession session) {
    long checkpoint = request.request().checkpoint();
    if (pending.putIfAbsent(checkpoint, new Pending(session, request.tasks())) != null) {
      return false;
    }
    List<Runnable> reports = early.remove(checkpoint);
    if (reports != null) {
      reports.forEach(Runnable::run);
    }
    return true;
  }

  private void keep(long checkpoint, Runnable report) {
    early.computeIfAbsent(checkpoint, number -> new ArrayList<>()).add(report);
  }

  void stored(long checkpoint, TaskSnapshot snapshot) {
    Pending waiting = pending.get(checkpoint);
    if (waiting == null) {
      keep(checkpoint, () -> stored(checkpoint, snapshot));
      return;
    }
    if (!waiting.missing.remove(snapshot.execution())) {
      return;
    }
    waiting.snapshots.add(snapshot);
    if (waiting.missing.isEmpty()) {
      pending.remove(checkpoint);
      acknowledge(checkpoint, waiting);
    }
  }

  void declined(ExecutionId execution, long checkpoint, DeclineCause cause) {
    Pending waiting = pending.get(checkpoint);
    if (waiting == null) {
      keep(checkpoint, () -> declined(execution, checkpoint, cause));
    } else if (waiting.missing.contains(execution)) {
      pending.remove(checkpoint);
      unanswered.add(checkpoint);
      LOG.info("Task {} declines checkpoint {}: {}", execution, checkpoint, cause.message());
      DeclineCheckpoint message = new DeclineCheckpoint(worker.id(), checkpoint, execution, cause);
      send(waiting.session, checkpoint, () -> waiting.session.gateway().declineCheckpoint(message));
    }
  }

  /** A task that has ended stores nothing any more. */
  void ended(ExecutionId execution) {
    List<Long> without = new ArrayList<>();
    pending.forEach(
        (checkpoint, waiting) -> {
          if (waiting.missing.contains(execution)) {
            without.add(checkpoint);
          }
        });
    without.forEach(
        checkpoint ->
            declined(
                execution,
                checkpoint,
                new DeclineCause.TaskIsEnding("The task ended before it had stored its state.")));
  }

  /** The checkpoint is complete, so that earlier ones do not complete any more. */
  void completed(long checkpoint) {
    forget(checkpoint);
    unanswered.removeIf(number -> number < checkpoint);
  }

  /** The checkpoint is aborted; the JobMaster may still wait for the answers to earlier ones. */
  void aborted(long checkpoint) {
    forget(checkpoint);
  }

  private void forget(long checkpoint) {
    pending.remove(checkpoint);
    unanswered.remove(checkpoint);
    // The triggers of a JobMaster arrive in order: an earlier one is not triggered any more.
    early.keySet().removeIf(number -> number <= checkpoint);
  }

  private void acknowledge(long checkpoint, Pending complete) {
    unanswered.add(checkpoint);
    for (List<TaskSnapshot> part : parts(complete.snapshots)) {
      AcknowledgeCheckpoint message = new AcknowledgeCheckpoint(worker.id(), checkpoint, part);
      send(
          complete.session,
          checkpoint,
          () -> complete.session.gateway().acknowledgeCheckpoint(message));
    }
  }

  /** Repeats a message until it has arrived, or until nobody waits for it. */
  private void send(
      JobMasterSession session, long checkpoint, Supplier<CompletableFuture<Acknowledge>> message) {
    if (!session.isOpen() || !unanswered.contains(checkpoint)) {
      return;
    }
    worker.then(
        message.get(),
        (done, failure) -> {
          if (failure != null) {
            // Without it the checkpoint would expire, and there is no other one before that.
            LOG.info(
                "The answer to checkpoint {} did not reach the JobMaster: {}",
                checkpoint,
                Failure.sentence(Failure.unwrap(failure)));
            worker.mailbox().after(RETRY_DELAY, () -> send(session, checkpoint, message));
          }
        });
  }

  /** Usually one part. */
  static List<List<TaskSnapshot>> parts(List<TaskSnapshot> snapshots) {
    List<List<TaskSnapshot>> parts = new ArrayList<>();
    List<TaskSnapshot> part = new ArrayList<>();
    long bytes = 0;
    for (TaskSnapshot snapshot : snapshots) {
      long more = messageBytes(snapshot);
      if (!part.isEmpty() && bytes + more > MESSAGE_BYTES) {
        parts.add(part);
        part = new ArrayList<>();
        bytes = 0;
      }
      part.add(snapshot);
      bytes += more;
    }
    if (!part.isEmpty()) {
      parts.add(part);
    }
    return parts;
  }

  private static long messageBytes(TaskSnapshot snapshot) {
    long bytes = HANDLE_BYTES;
    for (OperatorSnapshot operator : snapshot.operators()) {
      bytes += HANDLE_BYTES;
      for (OperatorSnapshot.Keyed keyed : operator.keyed()) {
        bytes += messageBytes(keyed.handle());
      }
      for (OperatorSnapshot.ListState list : operator.lists()) {
        bytes += messageBytes(list.handle());
      }
    }
    for (TaskSnapshot.InFlight records : snapshot.inFlight()) {
      bytes += messageBytes(records.handle());
    }
    return bytes;
  }

  private static long messageBytes(StateHandle handle) {
    return HANDLE_BYTES + (handle instanceof StateHandle.Inline inline ? inline.size() : 0);
  }
}
