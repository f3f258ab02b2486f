package io.millrace.core.metric;

import io.millrace.core.OrderedCopies;
import java.util.List;
import java.util.Objects;

/**
 * The name of a metric of a task.
 *
 * @param operator the operator that has the metric; empty for a metric of the whole task
 * @param groups the groups around the metric, outermost first
 */
public record MetricName(String operator, List<Group> groups, String name) {
  public MetricName {
    Objects.requireNonNull(operator);
    groups = OrderedCopies.list(groups);
    Objects.requireNonNull(name);
  }

  /**
   * A group of metrics.
   *
   * @param value what distinguishes this group from others with the same name; empty if the name
   *     does
   */
  public record Group(String name, String value) {
    public Group {
      Objects.requireNonNull(name);
      Objects.requireNonNull(value);
    }
  }

  /** The number of characters of all parts. */
  public int length() {
    int length = operator.length() + name.length();
    for (Group group : groups) {
      length += group.name().length() + group.value().length();
    }
    return length;
  }

  /** All parts with dots between them, as REST names the metric. */
  public String dotted() {
    StringBuilder text = new StringBuilder();
    if (!operator.isEmpty()) {
      append(text, operator);
    }
    for (Group group : groups) {
      append(text, group.name());
      if (!group.value().isEmpty()) {
        append(text, group.value());
      }
    }
    append(text, name);
    return text.toString();
  }

  /** Characters that separate metrics or their parts in REST become underscores. */
  private static void append(StringBuilder text, String part) {
    if (text.length() > 0) {
      text.append('.');
    }
    for (int i = 0; i < part.length(); i++) {
      char each = part.charAt(i);
      text.append(each == ' ' || each == '.' || each == ':' || each == ',' ? '_' : each);
    }
  }
}
