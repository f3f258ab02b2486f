package io.millrace.task;

import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import java.util.Objects;

/**
 * A partition of a cached data set. Producer and term are part of its identity, so that results of
 * two jobs, or of two runs of a job, are never mixed.
 *
 * @param producer the job that computed it
 * @param term the term of the leader under which the job finished; 0 before that
 * @param total the number of partitions of the data set
 */
public record ClusterPartition(DataSetId dataSet, JobId producer, long term, int index, int total) {
  public ClusterPartition {
    Objects.requireNonNull(dataSet);
    Objects.requireNonNull(producer);
    if (index < 0 || index >= total) {
      throw new IllegalArgumentException("index must be in 0.." + (total - 1) + ", not " + index);
    }
  }

  /** The partition after its job has finished. */
  public ClusterPartition finishedIn(long leaderTerm) {
    return new ClusterPartition(dataSet, producer, leaderTerm, index, total);
  }

  @Override
  public String toString() {
    return "partition " + (index + 1) + "/" + total + " of data set " + dataSet;
  }
}
