package io.millrace.dataplane.operator;

import io.millrace.api.function.KeySelector;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/**
 * A keyed operator with timers or windows. It is always the head of its chain, because records
 * reach it by key. Firing may take long, so it yields when the step budget is exhausted; the task
 * processes no record before firing is complete.
 */
public abstract class TimedKeyedOperator extends StreamOperator {
  private final KeySelector<Object, Object> selector;

  protected TimedKeyedOperator(KeySelector<Object, Object> selector) {
    this.selector = selector;
  }

  protected final Object keyOf(Object record) throws Exception {
    return keyOf(selector, record);
  }

  static Object keyOf(KeySelector<Object, Object> selector, Object record) throws Exception {
    Object key = selector.key(record);
    if (key == null) {
      throw new MillraceException(
          ErrorKind.USER, "The key of a record is null. Give such records a key of their own.");
    }
    return key;
  }

  /** Advances event time; the task repeats the call until it returns true. */
  public abstract boolean eventTime(long watermark);

  /**
   * Whether a snapshot between two calls of {@link #eventTime} for the same watermark has all that
   * is still to fire. The operator gets the watermark again after a restore.
   */
  public boolean isInterruptible() {
    return false;
  }

  /** Advances processing time; the task repeats the call until it returns true. */
  public abstract boolean processingTime(long now);

  /** When to call {@link #processingTime} next, {@link Long#MAX_VALUE} for never. */
  public abstract long nextProcessingTime();
}
