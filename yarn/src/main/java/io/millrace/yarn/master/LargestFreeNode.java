package io.millrace.yarn.master;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.Resource;

/**
 * The node with the most free memory. A container cannot span two nodes.
 *
 * @param nodes the number of running nodes
 */
record LargestFreeNode(int nodes, ContainerSize free) {
  LargestFreeNode {
    Objects.requireNonNull(free);
  }

  static Optional<LargestFreeNode> of(List<NodeReport> reports) {
    return reports.stream()
        .map(LargestFreeNode::free)
        .max(Comparator.comparingLong(ContainerSize::memory).thenComparing(ContainerSize::vcores))
        .map(free -> new LargestFreeNode(reports.size(), free));
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
