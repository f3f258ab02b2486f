package io.millrace.yarn.master;

import java.util.Objects;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueStatistics;

/**
 * How a queue of YARN stands.
 *
 * @param memory of the containers that run in it, in mebibytes
 * @param used share of the capacity it is guaranteed; more than 1 where it has borrowed
 * @param maximum share of the cluster that it may have at most
 * @param pending containers that all its applications wait for
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
