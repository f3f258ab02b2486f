package io.millrace.control.jobmaster;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway.RequirementsPending;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.AwaitWorkerEnd;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterRegistered;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.journal.JobMasterEvent.RegisteredAtResourceManager;
import io.millrace.protocol.journal.JobMasterEvent.ResourceManagerLost;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.PeerReason.AnsweredByOtherLeader;
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
 * The connection of a JobMaster to the leading ResourceManager: registers there and declares the
 * requirements of the job. Confined to the mailbox of the JobMaster.
 */
final class JobMasterResourceManagerConnection
    implements LeaderConnection.Follower<JobMasterRegistered, Reason> {
  private static final Logger LOG =
      LoggerFactory.getLogger(JobMasterResourceManagerConnection.class);
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** A job that fails because of a lost worker ends this much later in the worst case. */
  private static final Duration WORKER_END_PATIENCE = Duration.ofSeconds(4);

  private final ClusterServices cluster;
  private final Mailbox mailbox;
  private final JobId job;
  private final RegisterJobMaster self;
  private final SlotPool pool;
  private final Duration slotRequestTimeout;
  private final JobJournal journal;
  private final LeaderConnection<JobMasterRegistered, Reason> connection;

  /**
   * The last known leader, also while there is none: it may still have the requirements of this
   * job.
   */
  private Optional<Leader> lastLeader = Optional.empty();

  private Optional<ResourceManagerGateway> gateway = Optional.empty();

  /** The version of the requirements that the ResourceManager has; -1 for none. */
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

  /** Declares the requirements once at the end of this event, also after several changes. */
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

  /** Stores why slots are missing, or that none are. */
  void shortage(RequirementsPending notice) {
    shortage = notice.reason();
  }

  /** What the job waits for while it lacks slots. */
  Reason waitingFor() {
    if (gateway.isEmpty()) {
      return new ResourceManagerMissing(pool.waiting(), pool.required());
    }
    return shortage.orElseGet(() -> new AnswerPending(pool.waiting(), pool.required()));
  }

  /**
   * Asks why a lost worker has ended; empty if there is no ResourceManager to ask. The answer comes
   * within a few seconds, also if nobody knows.
   */
  Optional<CompletableFuture<Optional<Reason>>> awaitWorkerEnd(WorkerId worker) {
    return gateway.map(
        current ->
            current
                .awaitWorkerEnd(new AwaitWorkerEnd(worker, WORKER_END_PATIENCE))
                .handle(
                    (end, failure) -> {
                      if (failure != null) {
                        LOG.info("Job {}: no answer why {} ended", job, worker, failure);
                      }
                      return failure == null ? end.reason() : Optional.empty();
                    }));
  }

  /** The ResourceManager has ended the registration of this job, which registers again. */
  void dropped(Reason reason) {
    lost(reason);
    connection.reconnect();
  }

  /** Ends the registration and the connection. */
  void leave(boolean ended, Reason reason) {
    JobMasterLeaves notice = new JobMasterLeaves(job, self.leader(), ended, reason);
    if (ended) {
      // A ResourceManager that has lost this or an earlier JobMaster of the job has to be notified,
      // too.
      lastLeader.ifPresentOrElse(
          known -> EndNotifier.start(cluster, known, notice),
          () -> EndNotifier.start(cluster, notice));
    } else {
      gateway.ifPresent(current -> notifySuspension(current, notice));
    }
    connection.close();
    gateway = Optional.empty();
  }

  /**
   * A ResourceManager that misses the notice detects the loss by heartbeats, and the next leader of
   * the job registers.
   */
  private void notifySuspension(ResourceManagerGateway current, JobMasterLeaves notice) {
    current
        .disconnectJobMaster(notice)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.debug(
                    "Job {}: the ResourceManager has not acknowledged the suspension",
                    job,
                    failure);
              }
            });
  }

  @Override
  public CompletableFuture<Answer<JobMasterRegistered, Reason>> register(
      LeaderConnection.Attempt attempt) {
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

  private static Answer<JobMasterRegistered, Reason> answer(Leader leader, JobMasterReply reply) {
    if (reply.success().filter(by -> !by.resourceManager().equals(leader.token())).isPresent()) {
      return new Answer.Refused<>(new AnsweredByOtherLeader(leader.address()));
    }
    return Answer.of(reply);
  }

  @Override
  public void leaderFound(Leader leader) {
    lastLeader = Optional.of(leader);
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
  public void refused(Leader leader, Reason reason) {
    LOG.info(
        "Job {}: the ResourceManager {} refuses this JobMaster for the moment: {}",
        job,
        leader.address(),
        ReasonText.of(reason));
  }

  @Override
  public void rejected(Leader leader, Reason reason) {
    LOG.warn(
        "Job {}: the ResourceManager {} rejects this JobMaster: {}",
        job,
        leader.address(),
        ReasonText.of(reason));
  }

  private void declare() {
    declaring = false;
    if (gateway.isEmpty() || declared == pool.changes()) {
      return;
    }
    ResourceManagerGateway current = gateway.get();
    declared = pool.changes();
    List<Requirement> requirements = pool.requirements();
    journal.declared(pool, slotRequestTimeout);
    current
        .declareRequirements(
            new DeclareRequirements(job, self.leader(), requirements, slotRequestTimeout))
        .whenComplete(
            (done, failure) -> {
              if (failure != null && gateway.isPresent() && gateway.get() == current) {
                LOG.info(
                    "Job {}: requirements not acknowledged, next attempt in {}",
                    job,
                    RETRY,
                    failure);
                declared = -1;
                mailbox.after(RETRY, this::requirementsChanged);
              }
            });
  }
}
