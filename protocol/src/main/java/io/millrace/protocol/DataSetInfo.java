package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.util.List;
import java.util.Objects;

/**
 * A cached data set.
 *
 * @param producer the job that computed it
 * @param term of the leader under which that job finished
 * @param total the number of partitions of the complete data set
 * @param partitions the present partitions, by index
 */
public record DataSetInfo(
    DataSetId id, JobId producer, long term, int total, List<Placed> partitions) {
  public DataSetInfo {
    Objects.requireNonNull(id);
    Objects.requireNonNull(producer);
    partitions = OrderedCopies.list(partitions);
  }

  public boolean isComplete() {
    return partitions.size() == total;
  }

  /**
   * @param dataAddress the data port of the worker
   */
  public record Placed(int index, WorkerId worker, String dataAddress) {
    public Placed {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(dataAddress);
    }
  }
}
