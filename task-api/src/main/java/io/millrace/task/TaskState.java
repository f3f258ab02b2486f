package io.millrace.task;

/**
 * The states of one attempt to run one subtask.
 *
 * <p>Transitions: CREATED → SCHEDULED | CANCELED; SCHEDULED → DEPLOYING | CANCELED | FAILED;
 * DEPLOYING → INITIALIZING | RUNNING | FINISHED | CANCELING | FAILED; INITIALIZING → RUNNING |
 * CANCELING | FAILED; RUNNING → FINISHED | CANCELING | FAILED; CANCELING → CANCELED | FINISHED |
 * FAILED. FINISHED, CANCELED and FAILED are final.
 */
public enum TaskState {
  CREATED,
  SCHEDULED,
  DEPLOYING,
  INITIALIZING,
  RUNNING,
  FINISHED,
  CANCELING,
  CANCELED,
  FAILED;

  public boolean isTerminal() {
    return this == FINISHED || this == CANCELED || this == FAILED;
  }

  public boolean canBecome(TaskState next) {
    return switch (this) {
      case CREATED -> next == SCHEDULED || next == CANCELED;
      case SCHEDULED -> next == DEPLOYING || next == CANCELED || next == FAILED;
      case DEPLOYING ->
          next == INITIALIZING
              || next == RUNNING
              || next == FINISHED
              || next == CANCELING
              || next == FAILED;
      case INITIALIZING -> next == RUNNING || next == CANCELING || next == FAILED;
      case RUNNING -> next == FINISHED || next == CANCELING || next == FAILED;
      case CANCELING -> next == CANCELED || next == FINISHED || next == FAILED;
      case FINISHED, CANCELED, FAILED -> false;
    };
  }
}
