package io.millrace.control.jobmaster;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterRegistered;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.journal.JobMasterEvent.RegisteredAtResourceManager;
import io.millrace.protocol.journal.JobMasterEvent.ResourceManagerLost;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.AnswerPending;
import io.millrace.protocol.reason.SlotReason.ResourceManagerMissing;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.ConnectionLoss;
import io.millrace.rpc.registration.LeaderConnection;
import io.millrace.rpc.registration.RetryingRegistration.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JobMaster's connection to the leading ResourceManager: registers there and declares what the
 * job requires. Lives in the JobMaster's mailbox.
 */
final class JobMasterResourceManagerConnection
    implements LeaderConnection.Follower<JobMasterRegistered> {
  private static final Logger LOG =
      LoggerFactory.getLogger(JobMasterResourceManagerConnection.class);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final ClusterServices cluster;
  private final Mailbox mailbox;
  private final JobId job;
  private final RegisterJobMaster self;
  private final SlotPool pool;
  private final Duration slotRequestTimeout;
  private final JobJournal journal;
  private final LeaderConnection<JobMasterRegistered> connection;

  /** The last leader there was, also while none is known: it may still know this job. */
  private Optional<Leader> lastLeader = Optional.empty();

  private Optional<ResourceManagerGateway> gateway = Optional.empty();

  /** The version of the requirements that the connected ResourceManager has; -1 for none. */
  private long declared = -1;

  private Optional<Reason> shortage = Optional.empty();
  private boolean declaring;

  JobMasterResourceManagerConnection(
      ClusterServices cluster,
      Mailbox mailbox,
      RegisterJobMaster self,
      SlotPool pool,
      Duration slotRequestTimeout,
      JobJournal journal) {
    this.cluster = cluster;
    this.mailbox = mailbox;
    this.job = self.job();
    this.self = self;
    this.pool = pool;
    this.slotRequestTimeout = slotRequestTimeout;
    this.journal = journal;
    this.connection =
        new LeaderConnection<>(
            cluster.rpc(),
            mailbox,
            cluster.configuration(),
            "Job " + job + " at the ResourceManager",
            this);
  }

  void start() {
    connection.start(
        listener -> cluster.leaders().follow(ComponentNames.RESOURCE_MANAGER, mailbox, listener));
  }

  /** Declares at the end of this turn, however often it was asked to by then. */
  void requirementsChanged() {
    if (!declaring && gateway.isPresent() && declared != pool.changes()) {
      declaring = true;
      mailbox.post(this::declare);
    }
  }

  boolean isConnectedTo(LeaderToken resourceManager) {
    return connection.isConnectedTo(resourceManager);
  }

  void heard(LeaderToken resourceManager) {
    if (isConnectedTo(resourceManager)) {
      connection.heard();
    }
  }

  /** Keeps what the ResourceManager says of missing slots; nothing where none are missing. */
  void shortage(Optional<Reason> reason) {
    shortage = reason;
  }

  /** What a job that lacks slots waits for. */
  Reason waitingFor() {
    if (gateway.isEmpty()) {
      return new ResourceManagerMissing(pool.waiting(), pool.required());
    }
    return shortage.orElseGet(() -> new AnswerPending(pool.waiting(), pool.required()));
  }

  /** The ResourceManager has dropped this job: register anew. */
  void dropped(Reason reason) {
    lost(reason);
    connection.reconnect();
  }

  /** Tells the ResourceManager that this JobMaster leaves, and follows no leader any more. */
  void leave(boolean ended, Reason reason) {
    JobMasterLeaves notice = new JobMasterLeaves(job, self.leader(), ended, reason);
    if (ended) {
      // A ResourceManager that gave up this job or an earlier JobMaster of it has to hear it too.
      lastLeader.ifPresentOrElse(
          known -> EndNotifier.say(cluster, known, notice), () -> EndNotifier.say(cluster, notice));
    } else {
      gateway.ifPresent(open -> suspended(open, notice));
    }
    connection.close();
    gateway = Optional.empty();
  }

  /**
   * A ResourceManager that misses the notice finds out by heartbeats, and the job's next leader
   * registers.
   */
  private void suspended(ResourceManagerGateway open, JobMasterLeaves notice) {
    open.disconnectJobMaster(notice)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.debug("Job {}: the ResourceManager has not heard the notice", job, failure);
              }
            });
  }

  @Override
  public CompletableFuture<Answer<JobMasterRegistered>> register(LeaderConnection.Attempt attempt) {
    Leader leader = attempt.leader();
    return cluster
        .rpc()
        .gateway(
            ResourceManagerGateway.class,
            leader.address(),
            Optional.of(leader.token()),
            mailbox,
            attempt.timeout())
        .registerJobMaster(self)
        .thenApply(reply -> answer(leader, reply));
  }

  private static Answer<JobMasterRegistered> answer(Leader leader, JobMasterReply reply) {
    if (reply.success().filter(by -> !by.resourceManager().equals(leader.token())).isPresent()) {
      return new Answer.Refused<>("Another ResourceManager than " + leader + " answered.");
    }
    return Answer.of(
        reply.verdict(), reply.reason().map(ReasonText::of).orElse(""), reply.success());
  }

  @Override
  public void leaderChanged(Optional<Leader> leader) {
    lastLeader = leader.or(() -> lastLeader);
  }

  @Override
  public void connected(Leader leader, JobMasterRegistered success) {
    gateway =
        Optional.of(
            cluster
                .rpc()
                .gateway(
                    ResourceManagerGateway.class,
                    leader.address(),
                    Optional.of(leader.token()),
                    mailbox));
    LOG.info("Job {}: registered at the ResourceManager {}", job, leader.address());
    journal.note(new RegisteredAtResourceManager(leader.address()));
    requirementsChanged();
  }

  @Override
  public void disconnected(Leader leader, ConnectionLoss loss) {
    lost(PeerReason.ofLeader(loss));
  }

  private void lost(Reason reason) {
    gateway = Optional.empty();
    declared = -1;
    shortage = Optional.empty();
    LOG.info("Job {}: lost the ResourceManager: {}", job, ReasonText.of(reason));
    journal.note(new ResourceManagerLost(reason));
  }

  @Override
  public void rejected(Leader leader, String reason) {
    LOG.warn("Job {}: the ResourceManager rejects this JobMaster: {}", job, reason);
  }

  private void declare() {
    declaring = false;
    if (gateway.isEmpty() || declared == pool.changes()) {
      return;
    }
    ResourceManagerGateway open = gateway.get();
    declared = pool.changes();
    List<Requirement> requirements = pool.requirements();
    journal.declared(pool, slotRequestTimeout);
    open.declareRequirements(
            new DeclareRequirements(job, self.leader(), requirements, slotRequestTimeout))
        .whenComplete(
            (done, failure) -> {
              if (failure != null && gateway.isPresent() && gateway.get() == open) {
                LOG.info("Job {}: requirements not taken, again in {}", job, RETRY, failure);
                declared = -1;
                mailbox.after(RETRY, this::requirementsChanged);
              }
            });
  }
}
