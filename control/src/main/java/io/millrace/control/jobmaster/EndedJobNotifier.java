package io.millrace.control.jobmaster;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.cluster.LeaderElectionRunner;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.reason.JobReason.EndedUnderEarlierLeader;
import java.util.concurrent.CompletableFuture;

/**
 * Becomes the leader of a job that ended under an earlier leader, in order to notify the
 * ResourceManager: the earlier leader may have failed before it could.
 */
public final class EndedJobNotifier {
  private final ClusterServices cluster;
  private final JobId job;
  private final LeaderElectionRunner election;

  public EndedJobNotifier(ClusterServices cluster, JobId job) {
    this.cluster = cluster;
    this.job = job;
    this.election =
        new LeaderElectionRunner(
            cluster, ComponentNames.jobMaster(job), this::notifyResourceManager);
  }

  public void start() {
    election.start();
  }

  /** Completes when it is no longer the leader, also if the ResourceManager was not notified. */
  public CompletableFuture<Void> stop() {
    return election.stop();
  }

  private void notifyResourceManager(LeaderElectionRunner.Term term) {
    EndNotifier.start(
        cluster, new JobMasterLeaves(job, term.token(), true, new EndedUnderEarlierLeader()));
    election.stop();
  }
}
