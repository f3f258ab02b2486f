package io.millrace.api.execution;

/**
 * The states of a job.
 *
 * <p>Transitions: INITIALIZING → CREATED | FAILED | CANCELED | SUSPENDED; CREATED → RUNNING |
 * CANCELLING | FAILING | SUSPENDED; RUNNING → RESTARTING | FAILING | CANCELLING | FINISHED |
 * SUSPENDED; RESTARTING → RUNNING | FAILING | CANCELLING | SUSPENDED; FAILING → FAILED | SUSPENDED;
 * CANCELLING → CANCELED | SUSPENDED. FINISHED, CANCELED and FAILED are final; SUSPENDED ends a job
 * under this leader only.
 */
public enum JobStatus {
  INITIALIZING,
  CREATED,
  RUNNING,
  FAILING,
  FAILED,
  CANCELLING,
  CANCELED,
  FINISHED,
  RESTARTING,
  SUSPENDED,
  RECONCILING;

  /** Whether the job has ended for good. */
  public boolean isTerminal() {
    return this == FAILED || this == CANCELED || this == FINISHED;
  }

  public boolean canBecome(JobStatus next) {
    return switch (this) {
      case INITIALIZING ->
          next == CREATED || next == FAILED || next == CANCELED || next == SUSPENDED;
      case CREATED -> next == RUNNING || next == CANCELLING || next == FAILING || next == SUSPENDED;
      case RUNNING ->
          next == RESTARTING
              || next == FAILING
              || next == CANCELLING
              || next == FINISHED
              || next == SUSPENDED;
      case RESTARTING ->
          next == RUNNING || next == FAILING || next == CANCELLING || next == SUSPENDED;
      case FAILING -> next == FAILED || next == SUSPENDED;
      case CANCELLING -> next == CANCELED || next == SUSPENDED;
      case RECONCILING -> next == RUNNING || next == SUSPENDED;
      case FAILED, CANCELED, FINISHED, SUSPENDED -> false;
    };
  }
}
