package io.millrace.api.window;

import java.io.Serializable;
import java.util.Collection;

/**
 * Chooses the windows of a record, for windows of the program's own kind. {@link CustomWindows} is
 * the entry.
 *
 * <pre>{@code
 * // An order is in the window of its minute and in that of its hour.
 * WindowSelector<Order> minuteAndHour =
 *     (order, timestamp) -> {
 *       long minute = timestamp - Math.floorMod(timestamp, 60_000);
 *       long hour = timestamp - Math.floorMod(timestamp, 3_600_000);
 *       return List.of(
 *           new TimeWindow(minute, minute + 60_000), new TimeWindow(hour, hour + 3_600_000));
 *     };
 * orders.keyBy(Order::customer).window(CustomWindows.ofEventTime(minuteAndHour)).count().print();
 * }</pre>
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface WindowSelector<T> extends Serializable {
  /**
   * The windows of a record; without one the record is dropped.
   *
   * @param timestamp of the record, in processing time the current time
   */
  Collection<TimeWindow> windows(T record, long timestamp) throws Exception;
}
