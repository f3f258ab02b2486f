package io.millrace.control.jobmaster;

import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.ha.DeploymentStore;
import io.millrace.control.ha.JobResultStore;
import java.util.Objects;

/**
 * Where the leaders of a job store what its next leader needs.
 *
 * @param results of jobs that have ended
 * @param deployments what the next leader may adopt
 */
public record JobStores(
    JobResultStore results, CheckpointServices checkpoints, DeploymentStore deployments) {
  public JobStores {
    Objects.requireNonNull(results);
    Objects.requireNonNull(checkpoints);
    Objects.requireNonNull(deployments);
  }
}
