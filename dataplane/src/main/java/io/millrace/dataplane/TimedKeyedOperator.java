package io.millrace.dataplane;

import io.millrace.api.function.KeySelector;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/**
 * A keyed operator that has something to do when time passes. It is always the head of its chain,
 * because records come to it by their keys. What it does then may take long and stops in the middle
 * when the task's turn is over; nothing else is pushed before it is done.
 */
abstract class TimedKeyedOperator extends StreamOperator {
  private final KeySelector<Object, Object> selector;

  TimedKeyedOperator(KeySelector<Object, Object> selector) {
    this.selector = selector;
  }

  final Object keyOf(Object record) throws Exception {
    Object key = selector.key(record);
    if (key == null) {
      throw new MillraceException(
          ErrorKind.USER, "The key of a record is null; give such records a key of their own");
    }
    return key;
  }

  /** Event time has come to this point; called again with the same until it returns true. */
  abstract boolean eventTime(long watermark);

  /** Processing time has come to this point; called again until it returns true. */
  abstract boolean processingTime(long now);

  /** When to call {@link #processingTime} next, {@link Long#MAX_VALUE} for never. */
  abstract long nextProcessingTime();
}
