package io.millrace.control.jobmaster;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import java.util.List;
import java.util.Objects;

/**
 * A job that the Dispatcher has accepted and stored.
 *
 * @param blob the encoded graph, which TaskManagers fetch
 */
public record AcceptedJob(JobGraph graph, BlobKey blob) {
  public AcceptedJob {
    Objects.requireNonNull(graph);
    Objects.requireNonNull(blob);
  }

  public JobId id() {
    return graph.id();
  }

  /**
   * The configuration of the job over that of the cluster. The interval of checkpoints is the job's
   * alone: its tasks know no other configuration.
   */
  Configuration settings(Configuration cluster) {
    return cluster
        .without(List.of(CheckpointingOptions.INTERVAL.key()))
        .overriddenBy(graph.configuration());
  }
}
