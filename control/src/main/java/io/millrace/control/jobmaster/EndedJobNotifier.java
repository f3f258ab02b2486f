package io.millrace.control.jobmaster;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.cluster.LeaderElectionRunner;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.reason.JobReason.EndedUnderEarlierLeader;
import java.util.concurrent.CompletableFuture;

/**
 * Takes the lead of a job that ended under another leader, for nothing but to tell the
 * ResourceManager: that leader may have died before it was heard.
 */
public final class EndedJobNotifier {
  private final ClusterServices cluster;
  private final JobId job;
  private final LeaderElectionRunner terms;

  public EndedJobNotifier(ClusterServices cluster, JobId job) {
    this.cluster = cluster;
    this.job = job;
    this.terms = new LeaderElectionRunner(cluster, ComponentNames.jobMaster(job), this::say);
  }

  public void start() {
    terms.start();
  }

  /** Completes when it leads no more, also where it was never heard. */
  public CompletableFuture<Void> stop() {
    return terms.stop();
  }

  private void say(LeaderElectionRunner.Term term) {
    EndNotifier.say(
        cluster, new JobMasterLeaves(job, term.token(), true, new EndedUnderEarlierLeader()));
    terms.stop();
  }
}
