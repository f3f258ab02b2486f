package io.millrace.dataplane.exchange;

import io.millrace.api.function.KeySelector;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.graph.CustomPartitioning;
import io.millrace.graph.KeyGroups;

/** The consumers of records on edges where the record decides. */
final class RecordRouting {
  private RecordRouting() {}

  /** Decides about one record. */
  interface Selection {
    int consumerOf(Object record) throws Exception;
  }

  /** Finds the consumer of a record in the way in which the producers of the edge do. */
  static Selection of(TaskEnvironment task, ExchangeEdge edge) {
    Object function = task.deployment().deserialize(edge.edge().selector());
    int consumers = edge.target().parallelism();
    return switch (edge.edge().partitioning()) {
      case HASH -> {
        @SuppressWarnings("unchecked") // What the graph stores for a hash edge.
        KeySelector<Object, Object> selector = (KeySelector<Object, Object>) function;
        int groups = edge.target().maxParallelism();
        yield record ->
            KeyGroups.subtaskOf(KeyGroups.groupOf(selector.key(record), groups), groups, consumers);
      }
      case CUSTOM -> record -> partition((CustomPartitioning) function, record, consumers);
      case FORWARD, RESCALE, REBALANCE, SHUFFLE, BROADCAST ->
          throw new IllegalArgumentException(
              "Records do not decide about their way on an edge of " + edge.edge().partitioning());
    };
  }

  /** Asks the partitioner of a program for the consumer of a record. */
  static int partition(CustomPartitioning partitioning, Object record, int consumers)
      throws Exception {
    int chosen = partitioning.partitioner().partition(partitioning.key().key(record), consumers);
    if (chosen < 0 || chosen >= consumers) {
      throw new MillraceException(
          ErrorKind.USER,
          "The partitioner returned partition "
              + chosen
              + " of "
              + consumers
              + " partitions; the first one is 0");
    }
    return chosen;
  }
}
