package io.millrace.control.jobmaster;

import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import java.util.Objects;

/**
 * A job as the Dispatcher hands it over.
 *
 * @param blob where the encoded graph is, for TaskManagers to fetch
 */
public record AcceptedJob(JobGraph graph, BlobKey blob) {
  public AcceptedJob {
    Objects.requireNonNull(graph);
    Objects.requireNonNull(blob);
  }

  public JobId id() {
    return graph.id();
  }
}
