package io.millrace.api.execution;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A hold on a job that was accepted. Safe for use by several threads. */
public interface JobClient {
  JobId id();

  CompletableFuture<JobStatus> status();

  /** Asks the cluster to cancel the job; completes when that was accepted, not when it ended. */
  CompletableFuture<Void> cancel();

  /**
   * Completes when the job has ended, however it ended; exceptionally only when its end cannot be
   * learned.
   */
  CompletableFuture<JobResult> result();

  /**
   * The records that reached the client under this name, decoded, in the order of arrival. The
   * iterator waits for more and ends when the job has ended; it says nothing about how. Each name
   * may be read once.
   */
  Iterator<Object> collected(String name);

  /** Waits for the end of the job. */
  default JobResult await() {
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
