package io.millrace.yarn.master;

import java.util.Objects;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueStatistics;

/**
 * The usage of a queue of YARN.
 *
 * @param memory of its running containers, in mebibytes
 * @param used share of its guaranteed capacity; above 1 if it uses the capacity of other queues
 * @param maximum share of the cluster that it may use
 * @param pending the number of containers that its applications wait for
 */
record QueueUsage(
    String name, long memory, long vcores, double used, double maximum, long pending) {
  QueueUsage {
    Objects.requireNonNull(name);
  }

  static QueueUsage of(String name, QueueInfo info) {
    QueueStatistics statistics = info.getQueueStatistics();
    return new QueueUsage(
        name,
        statistics.getAllocatedMemoryMB(),
        statistics.getAllocatedVCores(),
        info.getCurrentCapacity(),
        info.getMaximumCapacity(),
        statistics.getPendingContainers());
  }

  @Override
  public String toString() {
    return "queue '"
        + name
        + "' has "
        + memory
        + " mb and "
        + vcores
        + " vcores in use, "
        + percent(used)
        + " of its capacity, may have "
        + percent(maximum)
        + " of what its parent has, and its applications wait for "
        + pending
        + (pending == 1 ? " container" : " containers")
        + " in all";
  }

  private static String percent(double share) {
    return Math.round(share * 100) + " %";
  }
}
