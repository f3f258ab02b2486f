package io.millrace.api.time;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * Keeps the event times of sources close to each other.
 *
 * <pre>{@code
 * // Orders are not read more than a minute ahead of other sources of the group.
 * WatermarkStrategy<Order> aligned =
 *     WatermarkStrategy.forMonotonousTimestamps(Order::time)
 *         .withWatermarkAlignment("sales", Duration.ofMinutes(1));
 * orders.assignTimestampsAndWatermarks(aligned);
 * System.out.println(aligned.alignment().map(WatermarkAlignment::updateInterval));
 * }</pre>
 *
 * @param group sources of a job with the same group wait for each other
 * @param maxDrift how far a source or a split may be ahead of the lowest watermark of the group
 * @param updateInterval how often a source reports its watermark and learns that of the group
 */
public record WatermarkAlignment(String group, Duration maxDrift, Duration updateInterval)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public WatermarkAlignment {
    Objects.requireNonNull(group, "group");
    if (maxDrift.isNegative()) {
      throw new MillraceException(
          ErrorKind.USER,
          "A source may be ahead of its alignment group by 0 ms or more, not by " + maxDrift + ".");
    }
    if (updateInterval.toMillis() < 1) {
      throw new MillraceException(
          ErrorKind.USER,
          "Watermarks of an alignment group are updated every millisecond or less often, not every "
              + updateInterval
              + ".");
    }
  }
}
