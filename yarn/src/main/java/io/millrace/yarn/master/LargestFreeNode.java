package io.millrace.yarn.master;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.Resource;

/**
 * Where a cluster has most room in one place: a container does not lie on two nodes.
 *
 * @param nodes how many run
 */
record LargestFreeNode(int nodes, ContainerSize free) {
  LargestFreeNode {
    Objects.requireNonNull(free);
  }

  static Optional<LargestFreeNode> of(List<NodeReport> reports) {
    return reports.stream()
        .map(LargestFreeNode::free)
        .max(Comparator.comparingLong(ContainerSize::memory).thenComparing(ContainerSize::vcores))
        .map(most -> new LargestFreeNode(reports.size(), most));
  }

  private static ContainerSize free(NodeReport node) {
    Resource all = node.getCapability();
    Resource used = node.getUsed();
    return used == null
        ? ContainerSize.of(all)
        : new ContainerSize(
            Math.max(0, all.getMemorySize() - used.getMemorySize()),
            Math.max(0, all.getVirtualCores() - used.getVirtualCores()),
            Map.of());
  }

  @Override
  public String toString() {
    return nodes == 1
        ? "the one node has " + free + " free"
        : "of " + nodes + " nodes the one with most memory free has " + free;
  }
}
