package io.millrace.control.resourcemanager;

import io.millrace.control.slotmanager.SlotEvent;
import io.millrace.control.slotmanager.SlotEvent.JobEnded;
import io.millrace.control.slotmanager.SlotEvent.JobForgotten;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobMasterGateway.AskJobMaster;
import io.millrace.protocol.JobMasterGateway.RequirementsFailed;
import io.millrace.protocol.JobMasterGateway.RequirementsPending;
import io.millrace.protocol.JobMasterGateway.ResourceManagerForgets;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterRegistered;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterLost;
import io.millrace.protocol.reason.JobReason.JobEndReported;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.PeerReason.LeaderTimeout;
import io.millrace.protocol.reason.PeerReason.LeadershipEnded;
import io.millrace.protocol.reason.PeerReason.NewerAttempt;
import io.millrace.protocol.reason.PeerReason.NotLeader;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.rpc.registration.ConnectionLoss;
import io.millrace.rpc.registration.FollowerRegistry;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs this ResourceManager knows, who leads each, and the registrations of their JobMasters.
 * Lives in the ResourceManager's mailbox.
 */
final class JobMasterRegistry implements FollowerRegistry.Leader<JobMasterRegistry.Registered> {
  private static final Logger LOG = LoggerFactory.getLogger(JobMasterRegistry.class);

  private final ResourceManagerContext term;
  private Optional<LeaderRetrieval> leaders = Optional.empty();
  private final Duration jobTimeout;
  private final Duration patience;
  private FollowerRegistry<JobId, Registered> registered;
  private final Map<JobId, Job> jobs = new TreeMap<>();

  /** A job that has or had a JobMaster here. */
  private static final class Job {
    private final JobId id;
    private Subscription following = () -> {};
    private Optional<Leader> leader = Optional.empty();

    /** The newest leader that was registered here, also when it is not any more. */
    private Optional<LeaderToken> last = Optional.empty();

    private Optional<Waiting> waiting = Optional.empty();
    private Mailbox.Timer forget = () -> {};
    private int missing;
    private Optional<Reason> reason = Optional.empty();

    Job(JobId id) {
      this.id = id;
    }
  }

  /** A registration whose leadership is not known yet. */
  private record Waiting(
      RegisterJobMaster request,
      CompletableFuture<JobMasterReply> answer,
      Mailbox.Timer deadline) {}

  /** One registration of a JobMaster; a later one is another object. */
  static final class Registered {
    private final RegisterJobMaster request;
    private final JobMasterGateway gateway;

    /** For heartbeats: an answer is in time until the JobMaster counts as silent. */
    private final JobMasterGateway heartbeatGateway;

    /** Whether it was told what its job misses; a successor of the one that was has to be, too. */
    private boolean told;

    Registered(
        RegisterJobMaster request, JobMasterGateway gateway, JobMasterGateway heartbeatGateway) {
      this.request = request;
      this.gateway = gateway;
      this.heartbeatGateway = heartbeatGateway;
    }
  }

  JobMasterRegistry(ResourceManagerContext term) {
    this.term = term;
    this.jobTimeout = term.configuration().get(ResourceManagerOptions.JOB_TIMEOUT);
    this.patience = term.configuration().get(RpcOptions.ASK_TIMEOUT);
  }

  /** From now on registrations are taken, and heartbeats are asked for. */
  void startHeartbeats() {
    registered =
        new FollowerRegistry<>(
            term.rpc(), term.mailbox(), HeartbeatSettings.from(term.configuration()), this);
  }

  /** From now on it can be known who leads a job. */
  void track(LeaderRetrieval leaders) {
    this.leaders = Optional.of(leaders);
  }

  CompletableFuture<JobMasterReply> register(RegisterJobMaster request) {
    Job job = jobs.computeIfAbsent(request.job(), this::follow);
    if (isRegistered(job.id, request.leader())) {
      return CompletableFuture.completedFuture(accepted());
    }
    CompletableFuture<JobMasterReply> answer = new CompletableFuture<>();
    if (job.waiting.isPresent()) {
      Waiting older = job.waiting.get();
      if (older.request().equals(request)) {
        // A repeat is no newer attempt: it is answered together with what it repeats.
        older.deadline().cancel();
        answer = older.answer();
      } else {
        decline(job, older, new NewerAttempt());
      }
    }
    await(job, request, answer);
    judge(job);
    return answer;
  }

  private void await(Job job, RegisterJobMaster request, CompletableFuture<JobMasterReply> answer) {
    Mailbox.Timer deadline =
        term.mailbox()
            .after(
                patience,
                () ->
                    job.waiting
                        .filter(waiting -> waiting.answer() == answer)
                        .ifPresent(
                            waiting ->
                                decline(
                                    job, waiting, new NotLeader(job.leader.map(Leader::token)))));
    job.waiting = Optional.of(new Waiting(request, answer, deadline));
  }

  /** Fails unless the declaration comes from the registered leader of the job. */
  void checkRegistered(JobId id, LeaderToken leader) {
    Optional<LeaderToken> known = registered.get(id).map(jobMaster -> jobMaster.request.leader());
    if (!known.equals(Optional.of(leader))) {
      throw new MillraceException(
          ErrorKind.RESOURCE,
          "JobMaster "
              + leader
              + " of job "
              + id
              + " is not registered"
              + known.map(other -> ", " + other + " is").orElse("")
              + ". It has to register before it declares requirements.");
    }
  }

  /** Tells a job what it misses; returns whether that is another number than before. */
  boolean tell(JobId id, int missing, Optional<Reason> reason) {
    Job job = jobs.get(id);
    if (job == null) {
      return false;
    }
    boolean changed = job.missing != missing;
    job.missing = missing;
    job.reason = reason;
    registered.get(id).ifPresent(jobMaster -> send(job, jobMaster));
    return changed;
  }

  /** Tells a JobMaster that has just declared its needs what its predecessor knew. */
  void tellSuccessor(JobId id) {
    Job job = jobs.get(id);
    registered
        .get(id)
        .filter(jobMaster -> !jobMaster.told && job.missing > 0)
        .ifPresent(jobMaster -> send(job, jobMaster));
  }

  void fail(JobId id, Reason reason) {
    Optional.ofNullable(jobs.get(id))
        .ifPresent(
            job -> {
              job.missing = 0;
              registered
                  .get(id)
                  .ifPresent(
                      jobMaster ->
                          jobMaster.gateway.requirementsFailed(
                              new RequirementsFailed(term.token(), reason)));
            });
  }

  /**
   * A JobMaster goes by its own decision. That its job has ended counts also where it was given up
   * before, or never got so far as to register: nobody comes after it who would declare that the
   * job needs nothing any more.
   */
  void leaves(JobMasterLeaves notice) {
    Job job = jobs.get(notice.job());
    if (job == null || job.last.isEmpty()) {
      return;
    }
    LeaderToken last = job.last.get();
    boolean later = notice.leader().term() > last.term();
    if (!notice.leader().equals(last) && !(notice.ended() && later)) {
      return;
    }
    close(job, notice.reason(), later);
    if (notice.ended()) {
      forget(job, new JobEndReported(), new JobEnded(job.id));
    }
  }

  void close() {
    registered.close();
    for (Job job : jobs.values()) {
      job.following.cancel();
      job.forget.cancel();
      job.waiting.ifPresent(waiting -> waiting.deadline().cancel());
    }
  }

  private Job follow(JobId id) {
    Job job = new Job(id);
    forgetUnlessLed(job);
    job.following =
        leaders
            .orElseThrow()
            .follow(
                ComponentNames.jobMaster(id), term.mailbox(), leader -> leaderChanged(job, leader));
    return job;
  }

  private void leaderChanged(Job job, Optional<Leader> leader) {
    job.leader = leader;
    job.forget.cancel();
    if (leader.isEmpty()) {
      forgetUnlessLed(job);
      return;
    }
    if (!isRegistered(job.id, leader.get().token())) {
      close(job, new LeadershipEnded(), true);
    }
    judge(job);
  }

  private void forgetUnlessLed(Job job) {
    job.forget =
        term.mailbox()
            .after(
                jobTimeout,
                () -> forget(job, new LeaderTimeout(jobTimeout), new JobForgotten(job.id)));
  }

  /** Answers a waiting registration as soon as it is clear who leads. */
  private void judge(Job job) {
    if (job.waiting.isEmpty() || job.leader.isEmpty()) {
      return;
    }
    Waiting waiting = job.waiting.get();
    LeaderToken leader = job.leader.get().token();
    if (waiting.request().leader().equals(leader)) {
      job.waiting = Optional.empty();
      waiting.deadline().cancel();
      accept(job, waiting.request());
      waiting.answer().complete(accepted());
    } else if (waiting.request().leader().term() <= leader.term()) {
      decline(job, waiting, new NotLeader(Optional.of(leader)));
    }
  }

  private void accept(Job job, RegisterJobMaster request) {
    close(job, new LeadershipEnded(), true);
    Registered jobMaster =
        new Registered(
            request,
            gateway(request, patience),
            gateway(request, HeartbeatSettings.from(term.configuration()).timeout()));
    job.last = Optional.of(request.leader());
    registered.add(job.id, request.address().process(), jobMaster);
    LOG.info("JobMaster {} of job {} registered", request.leader(), job.id);
    term.record(new ResourceManagerEvent.JobMasterRegistered(request.address()), job.id);
  }

  private void decline(Job job, Waiting waiting, Reason reason) {
    job.waiting = Optional.empty();
    waiting.deadline().cancel();
    LOG.info(
        "JobMaster {} of job {} was declined: {}",
        waiting.request().leader(),
        job.id,
        ReasonText.of(reason));
    waiting
        .answer()
        .complete(
            new JobMasterReply(RegistrationStatus.REFUSED, Optional.of(reason), Optional.empty()));
  }

  private JobMasterGateway gateway(RegisterJobMaster request, Duration timeout) {
    return term.rpc()
        .gateway(
            JobMasterGateway.class,
            request.address(),
            Optional.of(request.leader()),
            term.mailbox(),
            timeout);
  }

  @Override
  public CompletableFuture<Runnable> ask(Registered jobMaster) {
    return jobMaster
        .heartbeatGateway
        .heartbeatFromResourceManager(new AskJobMaster(term.token()))
        .thenApply(report -> () -> {});
  }

  @Override
  public void lost(Registered jobMaster, ConnectionLoss loss) {
    close(jobs.get(jobMaster.request.job()), PeerReason.ofFollower(loss), true);
  }

  private boolean isRegistered(JobId job, LeaderToken leader) {
    return registered
        .get(job)
        .filter(jobMaster -> jobMaster.request.leader().equals(leader))
        .isPresent();
  }

  private void close(Job job, Reason reason, boolean tell) {
    registered.get(job.id).ifPresent(jobMaster -> close(job, jobMaster, reason, tell));
  }

  private void close(Job job, Registered jobMaster, Reason reason, boolean tell) {
    registered.remove(job.id, jobMaster);
    LOG.info(
        "JobMaster {} of job {} is registered no more: {}",
        jobMaster.request.leader(),
        job.id,
        ReasonText.of(reason));
    term.record(new JobMasterLost(reason), job.id);
    if (tell) {
      jobMaster.gateway.disconnectResourceManager(new ResourceManagerForgets(term.token(), reason));
    }
  }

  private void forget(Job job, Reason reason, SlotEvent event) {
    if (!jobs.remove(job.id, job)) {
      return;
    }
    close(job, reason, true);
    job.waiting.ifPresent(waiting -> decline(job, waiting, reason));
    job.following.cancel();
    job.forget.cancel();
    LOG.info("Job {} is forgotten: {}", job.id, ReasonText.of(reason));
    term.record(new ResourceManagerEvent.JobForgotten(reason), job.id);
    term.apply().accept(event);
  }

  private void send(Job job, Registered jobMaster) {
    jobMaster.told = true;
    jobMaster.gateway.requirementsPending(
        new RequirementsPending(term.token(), job.missing, job.reason));
  }

  private JobMasterReply accepted() {
    return new JobMasterReply(
        RegistrationStatus.ACCEPTED,
        Optional.empty(),
        Optional.of(new JobMasterRegistered(term.token())));
  }
}
