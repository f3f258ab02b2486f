package io.millrace.api.execution;

/**
 * Hears of the jobs that an environment executes. It is called in the thread that executes them.
 *
 * <pre>{@code
 * env.registerJobListener(
 *     new JobExecutionListener() {
 *       public void submitted(JobClient client) {
 *         System.out.println("job " + client.id());
 *       }
 *     });
 * }</pre>
 */
public interface JobExecutionListener {
  /** The cluster has accepted a job. */
  default void submitted(JobClient client) {}

  /** A job could not be submitted; the error is thrown after this call. */
  default void submissionFailed(Throwable cause) {}

  /**
   * A job for which {@code execute} waited has reached a final state. Not called for jobs of {@code
   * executeAsync}, whose {@link JobClient#result} completes instead.
   */
  default void executed(JobExecutionResult result) {}
}
