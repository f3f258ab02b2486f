package io.millrace.dataplane;

import io.millrace.api.function.KeySelector;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.CustomPartitioning;
import io.millrace.graph.KeyGroups;

/** The ways a record finds its channel, one {@link RecordWriter} for each. */
final class RecordWriters {
  private RecordWriters() {}

  static RecordWriter open(Task task, ExchangeEdge edge) {
    return switch (edge.edge().partitioning()) {
      case FORWARD, RESCALE, REBALANCE -> new RoundRobin(task, edge);
      case BROADCAST -> new Broadcast(task, edge);
      case HASH -> new KeyGroup(task, edge);
      case CUSTOM -> new Custom(task, edge);
    };
  }

  private static final class RoundRobin extends RecordWriter {
    private int next;

    RoundRobin(Task task, ExchangeEdge edge) {
      super(task, edge);
      // Producers start at different consumers, or the first one gets the surplus of all.
      next = task.subtask() % channels;
    }

    @Override
    void processElement(Object record) {
      int channel = next;
      next = channel + 1 == channels ? 0 : channel + 1;
      append(channel, record);
    }
  }

  private static final class Broadcast extends RecordWriter {
    Broadcast(Task task, ExchangeEdge edge) {
      super(task, edge);
    }

    @Override
    void processElement(Object record) {
      for (int channel = 0; channel < channels; channel++) {
        append(channel, record);
      }
    }
  }

  private static final class KeyGroup extends RecordWriter {
    private final int groups;
    private KeySelector<Object, Object> selector;

    KeyGroup(Task task, ExchangeEdge edge) {
      super(task, edge);
      groups = edge.target().maxParallelism();
    }

    @Override
    @SuppressWarnings("unchecked") // What the graph stores for a hash edge.
    void processElement(Object record) {
      if (selector == null) {
        selector = (KeySelector<Object, Object>) task.deployment().open(edge.edge().selector());
      }
      int group;
      try {
        group = KeyGroups.groupOf(selector.key(record), groups);
      } catch (Throwable thrown) {
        throw task.failed(name(), thrown, FailureContext.onRecord(record));
      }
      append(KeyGroups.subtaskOf(group, groups, channels), record);
    }

    private String name() {
      return "keyBy to " + edge.target().name();
    }
  }

  private static final class Custom extends RecordWriter {
    private CustomPartitioning route;

    Custom(Task task, ExchangeEdge edge) {
      super(task, edge);
    }

    @Override
    void processElement(Object record) {
      int chosen;
      try {
        if (route == null) {
          route = (CustomPartitioning) task.deployment().open(edge.edge().selector());
        }
        chosen = route.partitioner().partition(route.key().key(record), channels);
        if (chosen < 0 || chosen >= channels) {
          throw new MillraceException(
              ErrorKind.USER,
              "The partitioner chose partition "
                  + chosen
                  + " of "
                  + channels
                  + " (0 is the first)");
        }
      } catch (Throwable thrown) {
        throw task.failed(
            "partitioner to " + edge.target().name(), thrown, FailureContext.onRecord(record));
      }
      append(chosen, record);
    }
  }
}
