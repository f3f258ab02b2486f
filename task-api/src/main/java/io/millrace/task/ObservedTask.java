package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import io.millrace.core.metric.MetricReading;
import java.util.List;
import java.util.Objects;

/**
 * A task that runs on a host and its metrics, for the reporters of the process.
 *
 * @param vertexName the names of its operators
 */
public record ObservedTask(
    JobId job,
    String jobName,
    String vertexName,
    TaskSpec spec,
    TaskCounters counters,
    List<MetricReading> readings) {
  public ObservedTask {
    Objects.requireNonNull(job);
    Objects.requireNonNull(jobName);
    Objects.requireNonNull(vertexName);
    Objects.requireNonNull(spec);
    Objects.requireNonNull(counters);
    readings = OrderedCopies.list(readings);
  }
}
