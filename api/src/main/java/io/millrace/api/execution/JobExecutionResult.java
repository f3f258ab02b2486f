package io.millrace.api.execution;

import io.millrace.core.OrderedCopies;
import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The final state of a job; of a job that was submitted detached, the state at that time.
 *
 * <pre>{@code
 * JobExecutionResult result = env.executeAsync("orders").await();
 * if (result.status() == JobStatus.FAILED) {
 *   System.err.println(result.name() + " failed: " + result.failure().orElseThrow().message());
 * } else {
 *   System.out.println(result.name() + " ran for " + result.runtime());
 * }
 * }</pre>
 *
 * @param failure present exactly for FAILED
 * @param accumulators the values of accumulators over all tasks, by name
 */
public record JobExecutionResult(
    JobId id,
    String name,
    JobStatus status,
    Duration runtime,
    Optional<Failure> failure,
    Map<String, AccumulatorValue> accumulators) {
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
    accumulators = OrderedCopies.map(accumulators);
  }

  /** The result of a job without accumulators. */
  public JobExecutionResult(
      JobId id, String name, JobStatus status, Duration runtime, Optional<Failure> failure) {
    this(id, name, status, runtime, failure, new LinkedHashMap<>());
  }

  /** The value of an accumulator over all tasks: a number, a map or a list; empty if unknown. */
  public Optional<Object> accumulator(String accumulator) {
    return Optional.ofNullable(accumulators.get(accumulator)).map(AccumulatorValue::result);
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
