package io.millrace.sim.zookeeper;

import io.millrace.core.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** All nodes, as they are now and as they were a while ago. */
final class NodeTree {
  /** How long states are kept. No server is further behind. */
  private static final long KEPT_NANOS = 40_000_000_000L;

  /**
   * @param owner the session with which the node vanishes; 0 for none
   */
  record Node(Bytes value, int version, long owner) {}

  /** The nodes after a transaction. */
  record State(long transaction, long time, TreeMap<String, Node> nodes) {
    Optional<Node> find(String path) {
      return Optional.ofNullable(nodes.get(path));
    }

    List<String> children(String directory) {
      String prefix = directory + "/";
      List<String> names = new ArrayList<>();
      for (String path : nodes.tailMap(prefix).keySet()) {
        if (!path.startsWith(prefix)) {
          break;
        }
        names.add(path.substring(prefix.length()));
      }
      return names;
    }
  }

  private final Deque<State> states = new ArrayDeque<>(List.of(new State(0, 0, new TreeMap<>())));

  State now() {
    return states.getLast();
  }

  /** The state at a time, or after a transaction if that was later. */
  State at(long time, long transaction) {
    Iterator<State> newestFirst = states.descendingIterator();
    State found = newestFirst.next();
    while (found.time() > time && found.transaction() > transaction && newestFirst.hasNext()) {
      State earlier = newestFirst.next();
      if (earlier.transaction() < transaction) {
        break;
      }
      found = earlier;
    }
    return found;
  }

  State change(long time, Consumer<Map<String, Node>> changes) {
    TreeMap<String, Node> nodes = new TreeMap<>(now().nodes());
    changes.accept(nodes);
    State next = new State(now().transaction() + 1, time, nodes);
    states.addLast(next);
    while (states.size() > 1 && states.getFirst().time() < time - KEPT_NANOS) {
      states.removeFirst();
    }
    return next;
  }
}
