package io.millrace.control.scheduler;

import io.millrace.core.error.Failure;
import io.millrace.core.id.WorkerId;
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
}
