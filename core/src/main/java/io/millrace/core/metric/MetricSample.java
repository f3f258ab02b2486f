package io.millrace.core.metric;

import io.millrace.core.OrderedCopies;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A metric of a process at one moment, as a reporter gets it.
 *
 * @param scope what the metric is about, from the kind of process on, such as taskmanager, job,
 *     task; then the groups around the metric
 * @param labels what distinguishes it from others with the same scope and name
 */
public record MetricSample(
    List<String> scope, String name, Map<String, String> labels, MetricValue value) {
  public MetricSample {
    scope = OrderedCopies.list(scope);
    Objects.requireNonNull(name);
    labels = OrderedCopies.map(labels);
    Objects.requireNonNull(value);
  }
}
