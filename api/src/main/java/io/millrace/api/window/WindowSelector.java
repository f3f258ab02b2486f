package io.millrace.api.window;

import java.io.Serializable;
import java.util.Collection;

/**
 * Chooses the windows of a record, for windows of the program's own kind. {@link CustomWindows} is
 * the entry.
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
