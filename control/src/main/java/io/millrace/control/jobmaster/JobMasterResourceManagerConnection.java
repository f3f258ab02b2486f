package io.millrace.control.jobmaster;

import io.millrace.protocol.journal.JobMasterEvent.RegisteredAtResourceManager;
import io.millrace.protocol.journal.JobMasterEvent.ResourceManagerLost;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterRegistered;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.HeartbeatRequestTimeout;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.AnswerPending;
import io.millrace.protocol.reason.SlotReason.ResourceManagerMissing;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.heartbeat.HeartbeatMonitor;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.RegistrationSettings;
import io.millrace.rpc.registration.RetryingRegistration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JobMaster's connection to whoever leads as ResourceManager: follows the leader, registers, and
 * keeps it told of what the job requires. Lives in the JobMaster's mailbox.
 */
final class JobMasterResourceManagerConnection {
  private static final Logger LOG =
      LoggerFactory.getLogger(JobMasterResourceManagerConnection.class);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final String PEER = "resourcemanager";

  private final ClusterServices cluster;
  private final Mailbox mailbox;
  private final JobId job;
  private final LeaderToken own;
  private final Address address;
  private final SlotPool pool;
  private final Duration patience;
  private final JobJournal journal;
  private final HeartbeatMonitor<String> heartbeats;
  private Subscription following = () -> {};
  private Optional<Leader> leader = Optional.empty();

  /** The last one there was, also when nobody leads: it may know this job. */
  private Optional<Leader> last = Optional.empty();

  private Optional<RetryingRegistration<JobMasterRegistered>> registration = Optional.empty();
  private Optional<Connection> connection = Optional.empty();
  private Optional<Reason> shortage = Optional.empty();
  private boolean declaring;

  private static final class Connection {
    private final LeaderToken token;
    private final ResourceManagerGateway gateway;
    private final Subscription watch;
    private long declared = -1;

    Connection(LeaderToken token, ResourceManagerGateway gateway, Subscription watch) {
      this.token = token;
      this.gateway = gateway;
      this.watch = watch;
    }
  }

  JobMasterResourceManagerConnection(
      ClusterServices cluster,
      Mailbox mailbox,
      RegisterJobMaster self,
      SlotPool pool,
      Duration patience,
      JobJournal journal) {
    this.cluster = cluster;
    this.mailbox = mailbox;
    this.job = self.job();
    this.own = self.leader();
    this.address = self.address();
    this.pool = pool;
    this.patience = patience;
    this.journal = journal;
    HeartbeatSettings heartbeat = HeartbeatSettings.from(cluster.configuration());
    this.heartbeats =
        new HeartbeatMonitor<>(
            cluster.rpc().env(),
            mailbox,
            heartbeat,
            peer -> reconnect(new HeartbeatRequestTimeout(heartbeat.timeout())));
  }

  void start() {
    following =
        cluster
            .leaders()
            .follow(
                ComponentNames.RESOURCE_MANAGER,
                mailbox,
                now -> {
                  leader = now;
                  last = now.or(() -> last);
                  disconnect();
                  register();
                });
  }

  /** Declares at the end of this turn, however often it was asked to by then. */
  void requirementsChanged() {
    if (!declaring && connection.isPresent() && connection.get().declared != pool.changes()) {
      declaring = true;
      mailbox.post(this::declare);
    }
  }

  boolean isConnectedTo(LeaderToken resourceManager) {
    return connection.isPresent() && connection.get().token.equals(resourceManager);
  }

  void heard(LeaderToken resourceManager) {
    if (isConnectedTo(resourceManager)) {
      heartbeats.heard(PEER);
    }
  }

  /** Keeps what the ResourceManager says of missing slots; nothing where none are missing. */
  void shortage(Optional<Reason> reason) {
    shortage = reason;
  }

  /** What a job that lacks slots waits for. */
  Reason waitingFor() {
    if (connection.isEmpty()) {
      return new ResourceManagerMissing(pool.waiting(), pool.required());
    }
    return shortage.orElseGet(() -> new AnswerPending(pool.waiting(), pool.required()));
  }

  /** The ResourceManager has dropped this job: register anew. */
  void reconnect(Reason reason) {
    LOG.info("Job {}: lost the ResourceManager: {}", job, ReasonText.of(reason));
    journal.note(new ResourceManagerLost(reason));
    disconnect();
    register();
  }

  /** Says good-bye and follows nobody any more. */
  void leave(boolean ended, Reason reason) {
    following.cancel();
    JobMasterLeaves notice = new JobMasterLeaves(job, own, ended, reason);
    if (ended) {
      // One that gave up this job or one of its forerunners still has to hear it.
      last.ifPresentOrElse(
          known -> EndNotifier.say(cluster, known, notice), () -> EndNotifier.say(cluster, notice));
    } else {
      connection.ifPresent(open -> suspended(open, notice));
    }
    disconnect();
    leader = Optional.empty();
  }

  /** Who does not hear it notices that nobody answers, and the job's next leader registers. */
  private void suspended(Connection open, JobMasterLeaves notice) {
    open.gateway
        .disconnectJobMaster(notice)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.debug("Job {}: the ResourceManager has not heard the good-bye", job, failure);
              }
            });
  }

  private void disconnect() {
    registration.ifPresent(RetryingRegistration::cancel);
    registration = Optional.empty();
    connection.ifPresent(open -> open.watch.cancel());
    connection = Optional.empty();
    shortage = Optional.empty();
    heartbeats.forget(PEER);
  }

  private void register() {
    if (leader.isEmpty()) {
      return;
    }
    Leader target = leader.get();
    RetryingRegistration<JobMasterRegistered> attempts =
        new RetryingRegistration<>(
            mailbox,
            RegistrationSettings.from(cluster.configuration()),
            "Job " + job + " at the ResourceManager " + target.address(),
            timeout ->
                gateway(target, timeout)
                    .registerJobMaster(new RegisterJobMaster(job, own, address))
                    .thenApply(
                        reply ->
                            RetryingRegistration.Answer.of(
                                reply.verdict(),
                                reply.reason().map(ReasonText::of).orElse(""),
                                reply.success())),
            success -> connected(target, success),
            reason ->
                LOG.warn("Job {}: the ResourceManager rejects this JobMaster: {}", job, reason));
    registration = Optional.of(attempts);
    attempts.start();
  }

  private void connected(Leader target, JobMasterRegistered success) {
    registration = Optional.empty();
    if (!success.resourceManager().equals(target.token())) {
      LOG.info("Job {}: ignored the answer of a former ResourceManager", job);
      return;
    }
    Rpc rpc = cluster.rpc();
    connection =
        Optional.of(
            new Connection(
                target.token(),
                rpc.gateway(
                    ResourceManagerGateway.class,
                    target.address(),
                    Optional.of(target.token()),
                    mailbox),
                rpc.watch(
                    target.address().process(),
                    mailbox,
                    lost -> reconnect(new ConnectionLost(lost)))));
    heartbeats.watch(PEER);
    LOG.info("Job {}: registered at the ResourceManager {}", job, target.address());
    journal.note(new RegisteredAtResourceManager(target.address()));
    requirementsChanged();
  }

  private ResourceManagerGateway gateway(Leader target, Duration timeout) {
    return cluster
        .rpc()
        .gateway(
            ResourceManagerGateway.class,
            target.address(),
            Optional.of(target.token()),
            mailbox,
            timeout);
  }

  private void declare() {
    declaring = false;
    if (connection.isEmpty() || connection.get().declared == pool.changes()) {
      return;
    }
    Connection open = connection.get();
    open.declared = pool.changes();
    List<Requirement> requirements = pool.requirements();
    journal.declared(pool, patience);
    open.gateway
        .declareRequirements(new DeclareRequirements(job, own, requirements, patience))
        .whenComplete(
            (done, failure) -> {
              if (failure != null && connection.isPresent() && connection.get() == open) {
                LOG.info("Job {}: requirements not taken, again in {}", job, RETRY, failure);
                open.declared = -1;
                mailbox.after(RETRY, this::requirementsChanged);
              }
            });
  }
}
