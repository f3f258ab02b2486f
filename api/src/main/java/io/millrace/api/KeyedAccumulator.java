package io.millrace.api;

import java.io.Serializable;

/**
 * A key and a running number. Changed in place: an accumulator belongs to one key of one task, and
 * an object a record would be the most expensive part of counting.
 */
final class KeyedAccumulator<K> implements Serializable {
  private static final long serialVersionUID = 1L;

  K key;
  long value;
}
