package io.millrace.control.scheduler;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.reason.JobReason.FailureUnexplained;
import io.millrace.protocol.reason.JobReason.SlotsGone;
import io.millrace.protocol.reason.JobReason.TaskEndedUnasked;
import io.millrace.protocol.reason.JobReason.TasksMissing;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The common cause of failed executions.
 *
 * @param worker the worker of the executions, if the cause is one of a worker
 * @param ended whether the executions have ended; otherwise they have to be cancelled
 * @param workerLost whether the cause is the loss of a worker
 * @param unusableCheckpoint the checkpoint whose state an execution could not use, if that is the
 *     cause
 */
record FailureCause(
    Failure failure,
    Optional<WorkerId> worker,
    boolean ended,
    boolean workerLost,
    OptionalLong unusableCheckpoint) {
  private FailureCause(
      Failure failure, Optional<WorkerId> worker, boolean ended, boolean workerLost) {
    this(failure, worker, ended, workerLost, OptionalLong.empty());
  }

  static FailureCause ended(Failure failure, WorkerId worker) {
    return new FailureCause(failure, Optional.of(worker), true, false);
  }

  static FailureCause stillRunning(Failure failure, WorkerId worker) {
    return new FailureCause(failure, Optional.of(worker), false, false);
  }

  /** The job as a whole cannot go on as it is. */
  static FailureCause ofJob(Failure failure) {
    return new FailureCause(failure, Optional.empty(), false, false);
  }

  static FailureCause lostWorker(Failure failure, WorkerId worker) {
    return new FailureCause(failure, Optional.of(worker), true, true);
  }

  FailureCause with(OptionalLong unusable) {
    return new FailureCause(failure, worker, ended, workerLost, unusable);
  }

  /** A task was cancelled by nobody. */
  static FailureCause endedUnasked(Execution execution) {
    return ended(
        external(new TaskEndedUnasked(execution.subtask.name())), execution.worker().orElseThrow());
  }

  /** A task has failed, as its worker reports. */
  static FailureCause reported(Execution execution, TaskUpdate update) {
    return ended(
            update
                .failure()
                .orElseGet(
                    () -> Failure.of(ErrorKind.BUG, ReasonText.of(new FailureUnexplained()))),
            execution.worker().orElseThrow())
        .with(update.unusableCheckpoint());
  }

  /** Tasks are not in the report of their worker. */
  static FailureCause tasksMissing(WorkerId worker, int tasks) {
    return ended(external(new TasksMissing(worker, tasks)), worker);
  }

  /** Slots are not in the report of their worker; tasks in them may still run. */
  static FailureCause slotsGone(WorkerId worker, int slots) {
    return stillRunning(external(new SlotsGone(worker, slots)), worker);
  }

  private static Failure external(Reason reason) {
    return Failure.of(ErrorKind.EXTERNAL, ReasonText.of(reason));
  }
}
