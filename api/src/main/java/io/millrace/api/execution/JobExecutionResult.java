package io.millrace.api.execution;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The final state of a job; of a job that was submitted detached, the state at that time.
 *
 * @param failure present exactly for FAILED
 */
public record JobExecutionResult(
    JobId id, String name, JobStatus status, Duration runtime, Optional<Failure> failure) {
  public JobExecutionResult {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(status);
    Objects.requireNonNull(runtime);
    if (failure.isPresent() != (status == JobStatus.FAILED)) {
      throw new IllegalArgumentException(
          "Job "
              + id
              + " is "
              + status
              + (failure.isPresent() ? " with" : " without")
              + " failure");
    }
  }

  /** This result if the job finished; throws if it failed or was cancelled. */
  public JobExecutionResult orThrow() {
    if (failure.isPresent()) {
      throw failure.get().toException();
    }
    if (status == JobStatus.CANCELED) {
      throw new MillraceException(
          ErrorKind.USER, "Job '" + name + "' (" + id + ") was cancelled before it finished.");
    }
    return this;
  }
}
