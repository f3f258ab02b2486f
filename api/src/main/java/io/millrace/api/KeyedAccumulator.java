package io.millrace.api;

import java.io.Serializable;

/**
 * A key and a running number. Mutable, because an object per record would be the main cost of
 * counting; an accumulator belongs to one key of one task.
 */
final class KeyedAccumulator<K> implements Serializable {
  private static final long serialVersionUID = 1L;

  K key;
  long value;
}
