package io.millrace.api.execution;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A client of a submitted job. Thread-safe.
 *
 * <pre>{@code
 * JobClient job = env.executeAsync("orders");
 * System.out.println("job " + job.id() + " is " + job.status().get());
 * job.cancel().get();
 * JobExecutionResult result = job.await();
 * }</pre>
 */
public interface JobClient {
  JobId id();

  CompletableFuture<JobStatus> status();

  /** Requests a cancellation; completes when the cluster has accepted it, before the job ends. */
  CompletableFuture<Void> cancel();

  /**
   * Completes when the job has reached a final state; exceptionally only if that state cannot be
   * determined.
   */
  CompletableFuture<JobExecutionResult> result();

  /**
   * The records that the job collected under this name, in order of arrival. The iterator waits for
   * more and ends when the job has ended, in any final state. Each name can be read once.
   */
  Iterator<Object> collected(String name);

  /** Waits for the end of the job. */
  default JobExecutionResult await() {
    try {
      return result().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(
          ErrorKind.USER, "Interrupted while waiting for job " + id() + ", which runs on.", e);
    } catch (ExecutionException e) {
      Throwable cause = Failure.unwrap(e);
      if (cause instanceof MillraceException known) {
        throw known;
      }
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The result of job " + id() + " cannot be learned: " + Failure.sentence(cause),
          cause);
    }
  }
}
