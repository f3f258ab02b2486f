package io.millrace.api.execution;

/**
 * The states of a job.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>to</th></tr>
 * <tr><td>INITIALIZING</td><td>CREATED, FAILED, CANCELED, SUSPENDED</td></tr>
 * <tr><td>CREATED</td><td>RUNNING, CANCELLING, FAILING, SUSPENDED</td></tr>
 * <tr><td>RUNNING</td><td>RESTARTING, FAILING, CANCELLING, FINISHED, SUSPENDED</td></tr>
 * <tr><td>RESTARTING</td><td>RUNNING, FAILING, CANCELLING, SUSPENDED</td></tr>
 * <tr><td>FAILING</td><td>FAILED, SUSPENDED</td></tr>
 * <tr><td>CANCELLING</td><td>CANCELED, SUSPENDED</td></tr>
 * <tr><td>RECONCILING</td><td>RUNNING, SUSPENDED</td></tr>
 * <tr><td>FINISHED, CANCELED, FAILED</td><td>none: final</td></tr>
 * <tr><td>SUSPENDED</td><td>none: the job has ended under this leader only</td></tr>
 * </table>
 *
 * <pre>{@code
 * JobClient job = env.executeAsync("orders");
 * job.status()
 *     .thenAccept(
 *         status -> {
 *           if (status == JobStatus.RUNNING) {
 *             System.out.println("all tasks run");
 *           } else if (status.isTerminal()) {
 *             System.out.println("the job has ended: " + status);
 *           }
 *         });
 * }</pre>
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
