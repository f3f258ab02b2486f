package io.millrace.yarn.master;

import io.millrace.core.id.WorkerId;
import io.millrace.yarn.master.AllocatorEvent.CompletedContainer;
import io.millrace.yarn.master.AllocatorEvent.NodesChanged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What YARN says about nodes that it no longer uses. YARN gives all containers of such a node the
 * same exit status and says elsewhere what is wrong with the node, for example that its disks are
 * full. A part of {@link ContainerAllocator}.
 */
final class NodeHealth {
  /**
   * YARN's ResourceManager notes the end of a container and the state of its node independently:
   * the answer to the next heartbeat has both. This is the bound of the wait for it.
   */
  static final Duration PATIENCE = Duration.ofSeconds(2);

  /** The reports on unhealthy nodes; empty for nodes that are not used for another reason. */
  private final Map<String, Optional<String>> unused = new TreeMap<>();

  private final Map<WorkerId, TakenBack> unexplained = new TreeMap<>();

  private record TakenBack(CompletedContainer container, long until) {}

  void changed(NodesChanged change) {
    change.used().forEach(unused::remove);
    unused.putAll(change.unused());
  }

  /** Why the node is not used; empty if it is used, or YARN says no more than that. */
  Optional<String> report(String node) {
    return unused.getOrDefault(node, Optional.empty());
  }

  /** Whether YARN has said that it does not use the node. */
  boolean isKnown(String node) {
    return unused.containsKey(node);
  }

  /** Keeps a container that YARN has taken back until YARN may have said why. */
  void await(CompletedContainer container, long now) {
    unexplained.put(container.worker(), new TakenBack(container, now + PATIENCE.toNanos()));
  }

  /** Whether the container was taken back and is kept. */
  boolean isAwaited(WorkerId worker) {
    return unexplained.containsKey(worker);
  }

  void remove(WorkerId worker) {
    unexplained.remove(worker);
  }

  /** The containers that were kept. They are not kept any more. */
  List<CompletedContainer> takeAll() {
    List<CompletedContainer> all = new ArrayList<>();
    unexplained.values().forEach(one -> all.add(one.container()));
    unexplained.clear();
    return all;
  }

  /** The containers whose wait is over. They are not kept any more. */
  List<CompletedContainer> takeExpired(long now) {
    List<CompletedContainer> expired = new ArrayList<>();
    unexplained.values().stream()
        .filter(one -> now >= one.until())
        .forEach(one -> expired.add(one.container()));
    expired.forEach(container -> unexplained.remove(container.worker()));
    return expired;
  }

  /** When the first wait is over; {@link Long#MAX_VALUE} for never. */
  long dueAt() {
    return unexplained.values().stream().mapToLong(TakenBack::until).min().orElse(Long.MAX_VALUE);
  }
}
