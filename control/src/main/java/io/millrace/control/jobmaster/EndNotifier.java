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
 * Tells the ResourceManager that a job has ended, until it has heard it: nobody comes after this
 * JobMaster who would say that the job needs nothing any more. Outlives the JobMaster and has a
 * mailbox of its own for that.
 *
 * <p>Over with the answer; where the ResourceManager it speaks to leads no more, because the next
 * one has never heard of the job; and at the latest when a ResourceManager forgets a job without a
 * leader by itself.
 */
final class EndNotifier {
  private static final Logger LOG = LoggerFactory.getLogger(EndNotifier.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private final ClusterServices cluster;
  private final JobMasterLeaves notice;
  private final Mailbox mailbox;
  private final Mailbox.Timer giveUp;
  private Subscription following = () -> {};
  private Optional<Leader> target = Optional.empty();

  private EndNotifier(ClusterServices cluster, JobMasterLeaves notice) {
    this.cluster = cluster;
    this.notice = notice;
    this.mailbox = cluster.rpc().env().mailbox("farewell-" + notice.job());
    this.giveUp =
        mailbox.after(
            cluster.configuration().get(ResourceManagerOptions.JOB_TIMEOUT),
            () -> over("it forgets a job without a leader by now"));
  }

  /** Says it at once to the ResourceManager that the JobMaster knew. */
  static void say(ClusterServices cluster, Leader resourceManager, JobMasterLeaves notice) {
    new EndNotifier(cluster, notice).to(resourceManager);
  }

  /** Says it to whoever leads, or comes to lead first. */
  static void say(ClusterServices cluster, JobMasterLeaves notice) {
    EndNotifier farewell = new EndNotifier(cluster, notice);
    farewell.mailbox.post(farewell::find);
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
                    leader.ifPresent(this::to);
                  }
                });
  }

  private void to(Leader resourceManager) {
    target = Optional.of(resourceManager);
    attempt(resourceManager, FIRST_PAUSE);
  }

  private void attempt(Leader resourceManager, Duration pause) {
    cluster
        .rpc()
        .gateway(
            ResourceManagerGateway.class,
            resourceManager.address(),
            Optional.of(resourceManager.token()),
            mailbox)
        .disconnectJobMaster(notice)
        .whenComplete((done, failure) -> answered(resourceManager, pause, done, failure));
  }

  private void answered(
      Leader resourceManager, Duration pause, Acknowledge done, Throwable failure) {
    if (done != null) {
      over("it has heard it");
    } else if (RpcException.is(failure, RpcError.Code.FENCED)
        || RpcException.is(failure, RpcError.Code.NO_ENDPOINT)) {
      over("it leads no more");
    } else {
      LOG.info(
          "Job {}: the ResourceManager {} has not confirmed that it heard of the end, again in"
              + " {}: {}",
          notice.job(),
          resourceManager.address(),
          pause,
          Failure.sentence(Failure.unwrap(failure)));
      Duration next = pause.multipliedBy(2);
      mailbox.after(
          pause,
          () -> attempt(resourceManager, next.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next));
    }
  }

  private void over(String why) {
    LOG.debug("Job {}: the ResourceManager need not be told of the end: {}", notice.job(), why);
    giveUp.cancel();
    following.cancel();
    mailbox.close();
  }
}
