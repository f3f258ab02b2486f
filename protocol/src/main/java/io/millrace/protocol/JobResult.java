package io.millrace.protocol;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The final result of a job.
 *
 * @param failure present exactly for FAILED
 * @param accumulators the values of accumulators over the last attempts of all tasks, by name
 */
public record JobResult(
    JobId job,
    JobStatus status,
    long runtimeMillis,
    Optional<Failure> failure,
    Map<String, AccumulatorValue> accumulators) {
  public JobResult {
    Objects.requireNonNull(job);
    Objects.requireNonNull(failure);
    accumulators = OrderedCopies.map(accumulators);
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

  /** The result of a job without accumulators. */
  public JobResult(JobId job, JobStatus status, long runtimeMillis, Optional<Failure> failure) {
    this(job, status, runtimeMillis, failure, new LinkedHashMap<>());
  }
}
