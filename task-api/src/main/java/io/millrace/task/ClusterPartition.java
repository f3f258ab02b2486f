package io.millrace.task;

import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import java.util.Objects;

/**
 * A part of a result that is kept for later jobs. What two jobs, or two runs of one job, have
 * computed under the same id is never mixed.
 *
 * @param producer the job that computed it
 * @param term of the leader under which that job finished; 0 while it has not
 * @param total how many partitions the whole has
 */
public record ClusterPartition(DataSetId dataSet, JobId producer, long term, int index, int total) {
  public ClusterPartition {
    Objects.requireNonNull(dataSet);
    Objects.requireNonNull(producer);
    if (index < 0 || index >= total) {
      throw new IllegalArgumentException("Partition " + index + " of " + total);
    }
  }

  /** The same when its job has finished. */
  public ClusterPartition finishedIn(long leaderTerm) {
    return new ClusterPartition(dataSet, producer, leaderTerm, index, total);
  }

  @Override
  public String toString() {
    return "partition " + (index + 1) + "/" + total + " of data set " + dataSet;
  }
}
