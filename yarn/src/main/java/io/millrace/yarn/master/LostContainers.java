package io.millrace.yarn.master;

import io.millrace.core.id.WorkerId;
import io.millrace.yarn.master.AllocatorAction.QueryContainer;
import io.millrace.yarn.master.AllocatorEvent.CompletedContainer;
import io.millrace.yarn.master.AllocatorEvent.ContainerAnswered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;

/**
 * Containers whose worker is lost for a reason that YARN may know. They are returned only after
 * YARN had some time to say it: a container that is returned or stopped has that as its exit
 * status. The NodeManager knows first that a process has ended, and the ResourceManager alone knows
 * that it has pre-empted a container. A part of {@link ContainerAllocator}.
 */
final class LostContainers {
  /** The bound of the wait. The worker has lost its tasks already, so that nothing runs twice. */
  static final Duration PATIENCE = Duration.ofSeconds(2);

  /** The time between two questions about a container that runs. */
  static final Duration INTERVAL = Duration.ofMillis(100);

  private static final long NEVER = Long.MAX_VALUE;

  private final Map<WorkerId, Lost> lost = new TreeMap<>();

  private static final class Lost {
    private final String node;
    private final long until;
    private long queryAt;
    private Optional<CompletedContainer> killed = Optional.empty();

    Lost(String node, long until, long queryAt) {
      this.node = node;
      this.until = until;
      this.queryAt = queryAt;
    }
  }

  /**
   * @param node of the container; empty if it is not known
   */
  void add(WorkerId worker, Optional<String> node, long now) {
    lost.put(
        worker,
        new Lost(node.orElse(""), now + PATIENCE.toNanos(), node.isPresent() ? now : NEVER));
  }

  /** Whether the container was one of these. */
  boolean remove(WorkerId worker) {
    return lost.remove(worker) != null;
  }

  /** The questions that are due. */
  List<AllocatorAction> queries(long now) {
    List<AllocatorAction> queries = new ArrayList<>();
    lost.forEach(
        (worker, container) -> {
          if (now >= container.queryAt) {
            container.queryAt = NEVER;
            queries.add(new QueryContainer(worker, container.node));
          }
        });
    return queries;
  }

  /** Takes an answer of a NodeManager. Returns the end of the container if it is certain. */
  Optional<CompletedContainer> answered(ContainerAnswered answer, long now) {
    Lost container = lost.get(answer.worker());
    if (container == null || !answer.reached()) {
      return Optional.empty();
    }
    if (answer.completed().isEmpty()) {
      container.queryAt = now + INTERVAL.toNanos();
      return Optional.empty();
    }
    if (answer.completed().get().exitStatus() == ContainerExitStatus.KILLED_BY_RESOURCEMANAGER) {
      container.killed = answer.completed();
      return Optional.empty();
    }
    return answer.completed();
  }

  /** Containers about which YARN has said nothing in time. They are not among these any more. */
  List<WorkerId> expired(long now) {
    List<WorkerId> expired = new ArrayList<>();
    lost.forEach(
        (worker, container) -> {
          if (now >= container.until && container.killed.isEmpty()) {
            expired.add(worker);
          }
        });
    expired.forEach(lost::remove);
    return expired;
  }

  /** Containers that the ResourceManager has killed without saying why in time. */
  List<CompletedContainer> killed(long now) {
    return lost.values().stream()
        .filter(container -> now >= container.until)
        .flatMap(container -> container.killed.stream())
        .toList();
  }

  /** When something is due; {@link Long#MAX_VALUE} for never. */
  long dueAt() {
    long due = NEVER;
    for (Lost container : lost.values()) {
      due = Math.min(due, Math.min(container.until, container.queryAt));
    }
    return due;
  }
}
