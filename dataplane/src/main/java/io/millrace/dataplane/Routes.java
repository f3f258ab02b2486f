package io.millrace.dataplane;

import io.millrace.api.function.KeySelector;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.CustomRoute;
import io.millrace.graph.KeyGroups;

/** The ways a record finds its channel, one {@link EdgeOutput} for each. */
final class Routes {
  private Routes() {}

  static EdgeOutput open(Task task, EdgePlan plan) {
    return switch (plan.edge().partitioning()) {
      case FORWARD, RESCALE, REBALANCE -> new InTurn(task, plan);
      case BROADCAST -> new Broadcast(task, plan);
      case HASH -> new Hash(task, plan);
      case CUSTOM -> new Custom(task, plan);
    };
  }

  private static final class InTurn extends EdgeOutput {
    private int next;

    InTurn(Task task, EdgePlan plan) {
      super(task, plan);
      // Producers start at different consumers, or the first one gets the surplus of all.
      next = task.subtask() % channels;
    }

    @Override
    void push(Object record) {
      int channel = next;
      next = channel + 1 == channels ? 0 : channel + 1;
      append(channel, record);
    }
  }

  private static final class Broadcast extends EdgeOutput {
    Broadcast(Task task, EdgePlan plan) {
      super(task, plan);
    }

    @Override
    void push(Object record) {
      for (int channel = 0; channel < channels; channel++) {
        append(channel, record);
      }
    }
  }

  private static final class Hash extends EdgeOutput {
    private final int groups;
    private KeySelector<Object, Object> selector;

    Hash(Task task, EdgePlan plan) {
      super(task, plan);
      groups = plan.target().maxParallelism();
    }

    @Override
    @SuppressWarnings("unchecked") // What the graph stores for a hash edge.
    void push(Object record) {
      if (selector == null) {
        selector = (KeySelector<Object, Object>) task.deployed().open(plan.edge().selector());
      }
      int group;
      try {
        group = KeyGroups.groupOf(selector.key(record), groups);
      } catch (Throwable thrown) {
        throw task.failed(name(), thrown, Fault.onRecord(record));
      }
      append(KeyGroups.subtaskOf(group, groups, channels), record);
    }

    private String name() {
      return "keyBy to " + plan.target().name();
    }
  }

  private static final class Custom extends EdgeOutput {
    private CustomRoute route;

    Custom(Task task, EdgePlan plan) {
      super(task, plan);
    }

    @Override
    void push(Object record) {
      int chosen;
      try {
        if (route == null) {
          route = (CustomRoute) task.deployed().open(plan.edge().selector());
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
        throw task.failed("partitioner to " + plan.target().name(), thrown, Fault.onRecord(record));
      }
      append(chosen, record);
    }
  }
}
