package io.millrace.yarn.master;

import io.millrace.core.config.Configuration;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.yarn.YarnOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;

/**
 * Counts failures of workers by node, and decides which nodes get no more workers for some time.
 * Excludes at most a third of the nodes: a program that fails everywhere must not exclude all.
 */
final class NodeFailures {
  private static final int LEAST_SHARE = 3;

  private final int most;
  private final Duration window;
  private final Duration exclusion;

  /** The times of failures within the window. */
  private final Map<String, Deque<Long>> failures = new TreeMap<>();

  /** Until when nodes are excluded. */
  private final Map<String, Long> excluded = new TreeMap<>();

  private int clusterNodes;

  NodeFailures(Configuration configuration) {
    this.most = configuration.get(YarnOptions.NODE_EXCLUSION_FAILURES);
    this.window = configuration.get(YarnOptions.NODE_EXCLUSION_WINDOW);
    this.exclusion = configuration.get(YarnOptions.NODE_EXCLUSION_TIME);
  }

  /** Not if YARN took the container for other reasons, or the process used too much memory. */
  static boolean mayBeFaultOfNode(int exitStatus) {
    return exitStatus > 0
        || exitStatus == ContainerExitStatus.INVALID
        || exitStatus == ContainerExitStatus.DISKS_FAILED;
  }

  void clusterNodes(int nodes) {
    clusterNodes = nodes;
  }

  Duration exclusionTime() {
    return exclusion;
  }

  /** A worker has failed. Returns why its node is excluded from now on, if it is. */
  Optional<DriverReason> failed(String node, long now) {
    expire(now);
    if (most < 0 || node.isEmpty() || excluded.containsKey(node)) {
      return Optional.empty();
    }
    Deque<Long> times = failures.computeIfAbsent(node, first -> new ArrayDeque<>());
    times.add(now);
    if (times.size() < most || (excluded.size() + 1) * LEAST_SHARE > clusterNodes) {
      return Optional.empty();
    }
    failures.remove(node);
    excluded.put(node, now + exclusion.toNanos());
    return Optional.of(
        new DriverReason(
            "yarn.node-excluded",
            times.size()
                + (times.size() == 1 ? " worker" : " workers")
                + " failed on it within "
                + minutes(window)
                + " ("
                + YarnOptions.NODE_EXCLUSION_FAILURES.key()
                + ")."));
  }

  /** The excluded nodes, to be added to the status of YARN; empty if there are none. */
  String clause(long now) {
    expire(now);
    if (excluded.isEmpty()) {
      return "";
    }
    StringBuilder nodes = new StringBuilder();
    excluded.forEach(
        (node, until) ->
            nodes
                .append(nodes.length() == 0 ? "" : ", ")
                .append(node)
                .append(" for another ")
                .append(minutes(Duration.ofNanos(until - now))));
    return "; excluded because workers failed there repeatedly: " + nodes;
  }

  private static String minutes(Duration time) {
    return time.compareTo(Duration.ofMinutes(2)) < 0
        ? Math.max(1, time.toSeconds()) + " s"
        : time.toMinutes() + " min";
  }

  private void expire(long now) {
    excluded.values().removeIf(until -> until <= now);
    failures
        .values()
        .removeIf(
            times -> {
              times.removeIf(time -> time + window.toNanos() <= now);
              return times.isEmpty();
            });
  }
}
