package io.millrace.api.function;

import java.io.Serializable;

/**
 * Chooses the parallel instance that a key goes to.
 *
 * <pre>{@code
 * orders.partitionCustom((cents, partitions) -> cents > 100_000 ? 0 : 1, Order::cents);
 * }</pre>
 */
@FunctionalInterface
public interface Partitioner<K> extends Serializable {
  int partition(K key, int partitions);
}
