package io.millrace.api.time;

import java.io.Serializable;

/** Says when a record happened. */
@FunctionalInterface
public interface TimestampAssigner<T> extends Serializable {
  /**
   * The record's event time.
   *
   * @param before the one it had, {@link Timestamps#NONE} if it had none
   */
  long timestamp(T record, long before) throws Exception;
}
