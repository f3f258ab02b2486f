package io.millrace.dataplane.operator;

import io.millrace.api.metric.MetricGroup;
import io.millrace.dataplane.snapshot.OperatorStateBackend;
import io.millrace.dataplane.store.StoredState;
import java.util.Optional;

/**
 * An operator's place in its job: the task that runs it, its name, its parallelism and its max
 * parallelism. The task records the operator's failures.
 *
 * @param maxParallelism the number of key groups
 * @param operatorState its state that has no key; restored before the operator is opened
 * @param store its keyed state, if that is not on the heap
 */
public record OperatorContext(
    TaskEnvironment task,
    String operator,
    int parallelism,
    int maxParallelism,
    OperatorStateBackend operatorState,
    Optional<StoredState> store) {
  /** The metrics of the operator's functions. */
  public MetricGroup metrics() {
    return task.userMetrics().of(operator);
  }

  public Error failed(Throwable thrown) {
    throw task.failed(operator, thrown);
  }

  /** Records that user code failed on a record. */
  public Error failed(Throwable thrown, Object record) {
    throw failed(thrown, FailureContext.onRecord(record));
  }

  /** Records that user code failed, and the call that it failed in. */
  public Error failed(Throwable thrown, Optional<FailureContext.Trigger> during) {
    throw task.failed(operator, thrown, during);
  }
}
