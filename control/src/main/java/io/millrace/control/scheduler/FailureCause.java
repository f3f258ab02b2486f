package io.millrace.control.scheduler;

import io.millrace.core.error.Failure;
import io.millrace.core.id.WorkerId;

/**
 * The common cause of failed executions.
 *
 * @param ended whether the executions have ended; otherwise they have to be cancelled
 * @param workerLost whether the cause is the loss of a worker
 */
record FailureCause(Failure failure, WorkerId worker, boolean ended, boolean workerLost) {

  static FailureCause ended(Failure failure, WorkerId worker) {
    return new FailureCause(failure, worker, true, false);
  }

  static FailureCause stillRunning(Failure failure, WorkerId worker) {
    return new FailureCause(failure, worker, false, false);
  }

  static FailureCause lostWorker(Failure failure, WorkerId worker) {
    return new FailureCause(failure, worker, true, true);
  }
}
