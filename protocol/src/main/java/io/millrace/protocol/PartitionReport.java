package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.task.ClusterPartition;
import java.util.ArrayList;
import java.util.List;

/**
 * What finished tasks have left on a TaskManager.
 *
 * @param version grows with every report of a process: of two that cross, the later one counts
 * @param kept what outlives its job
 * @param undecided whether there is more, of jobs that have not ended
 */
public record PartitionReport(long version, List<ClusterPartition> kept, boolean undecided) {
  public static final PartitionReport NOTHING = new PartitionReport(0, new ArrayList<>(), false);

  public PartitionReport {
    kept = OrderedCopies.list(kept);
  }

  /** Whether the TaskManager has data that somebody may need. */
  public boolean isHeld() {
    return undecided || !kept.isEmpty();
  }
}
