package io.millrace.graph;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import java.util.List;
import java.util.Objects;

/**
 * A complete cached data set and its locations.
 *
 * @param producer the job that computed it
 * @param term the term of the leader under which that job finished
 * @param places data addresses of the TaskManagers that store the partitions, by index
 */
public record CachedDataSet(DataSetId id, JobId producer, long term, List<String> places) {
  public CachedDataSet {
    Objects.requireNonNull(id);
    Objects.requireNonNull(producer);
    places = OrderedCopies.list(places);
    if (places.isEmpty()) {
      throw new IllegalArgumentException("Data set " + id + " has no partition");
    }
  }
}
