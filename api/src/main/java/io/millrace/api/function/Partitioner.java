package io.millrace.api.function;

import java.io.Serializable;

/** Chooses the parallel instance that a key goes to. */
@FunctionalInterface
public interface Partitioner<K> extends Serializable {
  int partition(K key, int partitions);
}
