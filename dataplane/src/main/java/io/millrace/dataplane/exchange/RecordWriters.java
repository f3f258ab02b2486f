package io.millrace.dataplane.exchange;

import io.millrace.api.function.KeySelector;
import io.millrace.dataplane.operator.FailureContext;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.graph.CustomPartitioning;
import io.millrace.graph.KeyGroups;
import java.util.SplittableRandom;

/** The writers of the partitioning strategies. */
final class RecordWriters {
  private RecordWriters() {}

  static RecordWriter open(TaskEnvironment task, ExchangeEdge edge, DeploymentExchange exchange) {
    return switch (edge.edge().partitioning()) {
      case FORWARD, RESCALE, REBALANCE -> new RoundRobin(task, edge, exchange);
      case SHUFFLE -> new Shuffle(task, edge, exchange);
      case BROADCAST -> new Broadcast(task, edge, exchange);
      case HASH -> new KeyGroup(task, edge, exchange);
      case CUSTOM -> new Custom(task, edge, exchange);
    };
  }

  private static final class RoundRobin extends RecordWriter {
    private int next;

    RoundRobin(TaskEnvironment task, ExchangeEdge edge, DeploymentExchange exchange) {
      super(task, edge, exchange);
      // Producers start at different consumers, so that the remainders do not all go to the first.
      next = task.subtask() % channels;
    }

    @Override
    public void processElement(Object record) {
      int channel = next;
      next = channel + 1 == channels ? 0 : channel + 1;
      append(channel, record);
    }
  }

  private static final class Shuffle extends RecordWriter {
    private final SplittableRandom random = new SplittableRandom();

    Shuffle(TaskEnvironment task, ExchangeEdge edge, DeploymentExchange exchange) {
      super(task, edge, exchange);
    }

    @Override
    public void processElement(Object record) {
      append(random.nextInt(channels), record);
    }
  }

  private static final class Broadcast extends RecordWriter {
    Broadcast(TaskEnvironment task, ExchangeEdge edge, DeploymentExchange exchange) {
      super(task, edge, exchange);
    }

    @Override
    public void processElement(Object record) {
      for (int channel = 0; channel < channels; channel++) {
        append(channel, record);
      }
    }
  }

  private static final class KeyGroup extends RecordWriter {
    private final int groups;
    private KeySelector<Object, Object> selector;

    KeyGroup(TaskEnvironment task, ExchangeEdge edge, DeploymentExchange exchange) {
      super(task, edge, exchange);
      groups = edge.target().maxParallelism();
    }

    @Override
    @SuppressWarnings("unchecked") // What the graph stores for a hash edge.
    public void processElement(Object record) {
      if (selector == null) {
        selector =
            (KeySelector<Object, Object>) task.deployment().deserialize(edge.edge().selector());
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

    Custom(TaskEnvironment task, ExchangeEdge edge, DeploymentExchange exchange) {
      super(task, edge, exchange);
    }

    @Override
    public void processElement(Object record) {
      int chosen;
      try {
        if (route == null) {
          route = (CustomPartitioning) task.deployment().deserialize(edge.edge().selector());
        }
        chosen = RecordRouting.partition(route, record, channels);
      } catch (Throwable thrown) {
        throw task.failed(
            "partitioner to " + edge.target().name(), thrown, FailureContext.onRecord(record));
      }
      append(chosen, record);
    }
  }
}
