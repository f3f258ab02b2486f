package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.metric.MetricReading;
import java.util.List;
import java.util.Objects;

/** The metrics of a task that its functions and operators have registered. */
public record TaskMetricReadings(ExecutionId execution, List<MetricReading> readings) {
  public TaskMetricReadings {
    Objects.requireNonNull(execution);
    readings = OrderedCopies.list(readings);
  }

  /** A bound of the size in a message. */
  public int size() {
    return 32 + readings.stream().mapToInt(MetricReading::size).sum();
  }
}
