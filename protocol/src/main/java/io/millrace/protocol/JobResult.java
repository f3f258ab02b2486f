package io.millrace.protocol;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import java.util.Objects;
import java.util.Optional;

/**
 * The final result of a job.
 *
 * @param failure present exactly for FAILED
 */
public record JobResult(
    JobId job, JobStatus status, long runtimeMillis, Optional<Failure> failure) {
  public JobResult {
    Objects.requireNonNull(job);
    Objects.requireNonNull(failure);
    if (!status.isTerminal()) {
      throw new IllegalArgumentException("Job " + job + " has not ended: " + status);
    }
    if (failure.isPresent() != (status == JobStatus.FAILED)) {
      throw new IllegalArgumentException(
          "Job "
              + job
              + " is "
              + status
              + (failure.isPresent() ? " and has a failure" : " and has no failure"));
    }
  }
}
