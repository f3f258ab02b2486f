package io.millrace.task;

/**
 * The states of one attempt to run one subtask.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>to</th></tr>
 * <tr><td>CREATED</td><td>SCHEDULED, CANCELED</td></tr>
 * <tr><td>SCHEDULED</td><td>DEPLOYING, CANCELED, FAILED</td></tr>
 * <tr><td>DEPLOYING</td><td>INITIALIZING, RUNNING, FINISHED, CANCELING, FAILED</td></tr>
 * <tr><td>INITIALIZING</td><td>RUNNING, CANCELING, FAILED</td></tr>
 * <tr><td>RUNNING</td><td>FINISHED, CANCELING, FAILED</td></tr>
 * <tr><td>CANCELING</td><td>CANCELED, FINISHED, FAILED</td></tr>
 * <tr><td>FINISHED, CANCELED, FAILED</td><td>none: final</td></tr>
 * </table>
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
