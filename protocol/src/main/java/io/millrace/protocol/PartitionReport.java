package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.task.ClusterPartition;
import java.util.ArrayList;
import java.util.List;

/**
 * The cluster partitions on a TaskManager.
 *
 * @param version grows with each report of a process; the report with the higher version counts
 * @param kept partitions that outlive their jobs
 * @param undecided whether there are also partitions of jobs that have not ended
 */
public record PartitionReport(long version, List<ClusterPartition> kept, boolean undecided) {
  public static final PartitionReport NOTHING = new PartitionReport(0, new ArrayList<>(), false);

  public PartitionReport {
    kept = OrderedCopies.list(kept);
  }

  /** Whether the TaskManager has data that a job may need. */
  public boolean isHeld() {
    return undecided || !kept.isEmpty();
  }
}
