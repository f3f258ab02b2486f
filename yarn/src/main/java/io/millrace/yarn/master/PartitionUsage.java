package io.millrace.yarn.master;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.QueueConfigurations;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.Resource;

/**
 * The usage of the nodes with a label. YARN tells the usage of a queue only for nodes without a
 * label.
 *
 * @param nodes the number of running nodes with the label
 */
record PartitionUsage(String label, int nodes, ContainerSize total, ContainerSize used) {
  PartitionUsage {
    Objects.requireNonNull(label);
    Objects.requireNonNull(total);
    Objects.requireNonNull(used);
  }

  /** The nodes of a partition. */
  static List<NodeReport> nodes(List<NodeReport> all, Optional<String> label) {
    return all.stream().filter(node -> labelOf(node).equals(label)).toList();
  }

  private static Optional<String> labelOf(NodeReport node) {
    return node.getNodeLabels() == null
        ? Optional.empty()
        : node.getNodeLabels().stream().filter(label -> !label.isEmpty()).findFirst();
  }

  /**
   * @param nodes those with the label
   */
  static PartitionUsage of(String label, List<NodeReport> nodes) {
    long memory = 0;
    int vcores = 0;
    long usedMemory = 0;
    int usedVcores = 0;
    for (NodeReport node : nodes) {
      memory += node.getCapability().getMemorySize();
      vcores += node.getCapability().getVirtualCores();
      Resource used = node.getUsed();
      usedMemory += used == null ? 0 : used.getMemorySize();
      usedVcores += used == null ? 0 : used.getVirtualCores();
    }
    return new PartitionUsage(
        label,
        nodes.size(),
        new ContainerSize(memory, vcores, Map.of()),
        new ContainerSize(usedMemory, usedVcores, Map.of()));
  }

  /** What a queue may use of the nodes with a label. */
  static String limit(String queue, String label, QueueInfo info) {
    Map<String, QueueConfigurations> limits = info.getQueueConfigurations();
    QueueConfigurations limit = limits == null ? null : limits.get(label);
    long pending = info.getQueueStatistics().getPendingContainers();
    return "queue '"
        + queue
        + "' may have "
        + (limit == null ? "nothing" : Math.round(limit.getMaxCapacity() * 100) + " %")
        + " of what its parent has of the nodes with label '"
        + label
        + "', and its applications wait for "
        + pending
        + (pending == 1 ? " container" : " containers")
        + " in all";
  }

  @Override
  public String toString() {
    return nodes == 0
        ? "no running node has label '" + label + "'"
        : (nodes == 1
                ? "the one node with label '" + label + "' has "
                : "the " + nodes + " nodes with label '" + label + "' have ")
            + used
            + " of "
            + total
            + " in use";
  }
}
