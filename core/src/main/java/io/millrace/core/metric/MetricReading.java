package io.millrace.core.metric;

import java.util.Objects;

/** A metric of a task and its value at one moment. */
public record MetricReading(MetricName name, MetricValue value) {
  /** A bound of the bytes of a value in a message. */
  private static final int VALUE_BYTES = 112;

  public MetricReading {
    Objects.requireNonNull(name);
    Objects.requireNonNull(value);
  }

  /** A bound of the size of this reading in a message. */
  public int size() {
    int text = value instanceof MetricValue.Text words ? words.value().length() : 0;
    return VALUE_BYTES + 8 * name.groups().size() + 3 * (name.length() + text);
  }
}
