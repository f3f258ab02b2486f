package io.millrace.control.jobmaster;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.error.Failure;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.leader.Leader;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the ResourceManager that a job has ended, with retries: no later JobMaster would declare
 * that the job has no requirements. Outlives the JobMaster and has its own mailbox.
 *
 * <p>Ends with the acknowledgement; if the ResourceManager is no longer the leader, because the
 * next one does not know the job; and at the latest when the ResourceManager removes jobs without a
 * leader.
 */
final class EndNotifier {
  private static final Logger LOG = LoggerFactory.getLogger(EndNotifier.class);
  private static final Duration INITIAL_DELAY = Duration.ofMillis(500);
  private static final Duration MAX_DELAY = Duration.ofSeconds(10);

  private final ClusterServices cluster;
  private final JobMasterLeaves notice;
  private final Mailbox mailbox;
  private final Mailbox.Timer deadline;
  private Subscription following = () -> {};
  private Optional<Leader> target = Optional.empty();

  private EndNotifier(ClusterServices cluster, JobMasterLeaves notice) {
    this.cluster = cluster;
    this.notice = notice;
    this.mailbox = cluster.rpc().env().mailbox("end-notifier-" + notice.job());
    this.deadline =
        mailbox.after(
            cluster.configuration().get(ResourceManagerOptions.JOB_TIMEOUT),
            () -> stop("the ResourceManager removes a job without a leader"));
  }

  /** Notifies the ResourceManager that the JobMaster was registered at. */
  static void start(ClusterServices cluster, Leader resourceManager, JobMasterLeaves notice) {
    new EndNotifier(cluster, notice).notifyLeader(resourceManager);
  }

  /** Notifies the current leader, or the first one that is elected. */
  static void start(ClusterServices cluster, JobMasterLeaves notice) {
    EndNotifier notifier = new EndNotifier(cluster, notice);
    notifier.mailbox.post(notifier::find);
  }

  private void find() {
    following =
        cluster
            .leaders()
            .follow(
                ComponentNames.RESOURCE_MANAGER,
                mailbox,
                leader -> {
                  if (target.isEmpty()) {
                    leader.ifPresent(this::notifyLeader);
                  }
                });
  }

  private void notifyLeader(Leader resourceManager) {
    target = Optional.of(resourceManager);
    attempt(resourceManager, INITIAL_DELAY);
  }

  private void attempt(Leader resourceManager, Duration delay) {
    cluster
        .rpc()
        .gateway(
            ResourceManagerGateway.class,
            resourceManager.address(),
            Optional.of(resourceManager.token()),
            mailbox)
        .disconnectJobMaster(notice)
        .whenComplete((done, failure) -> answered(resourceManager, delay, done, failure));
  }

  private void answered(
      Leader resourceManager, Duration delay, Acknowledge done, Throwable failure) {
    if (done != null) {
      stop("acknowledged");
    } else if (RpcException.is(failure, RpcError.Code.FENCED)
        || RpcException.is(failure, RpcError.Code.NO_ENDPOINT)) {
      stop("the ResourceManager is no longer the leader");
    } else {
      LOG.info(
          "Job {}: the ResourceManager {} has not acknowledged the end of the job, next attempt in"
              + " {}: {}",
          notice.job(),
          resourceManager.address(),
          delay,
          Failure.sentence(Failure.unwrap(failure)));
      Duration next = delay.multipliedBy(2);
      mailbox.after(
          delay, () -> attempt(resourceManager, next.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : next));
    }
  }

  private void stop(String why) {
    LOG.debug("Job {}: notifying the ResourceManager of the end is over: {}", notice.job(), why);
    deadline.cancel();
    following.cancel();
    mailbox.close();
  }
}
