package io.millrace.control.resourcemanager;

import io.millrace.control.ha.JobResultStore;
import io.millrace.control.slotmanager.SlotAction.NotifyPending;
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
import io.millrace.protocol.JobMasterGateway.JobMasterReport;
import io.millrace.protocol.JobMasterGateway.RequirementsFailed;
import io.millrace.protocol.JobMasterGateway.RequirementsPending;
import io.millrace.protocol.JobMasterGateway.ResourceManagerForgets;
import io.millrace.protocol.ResourceManagerGateway.JobMasterLeaves;
import io.millrace.protocol.ResourceManagerGateway.JobMasterRegistered;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.RegisterJobMaster;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.JobMasterLost;
import io.millrace.protocol.reason.JobReason.EndedUnderEarlierLeader;
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
import java.util.function.DoubleConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that this ResourceManager knows, their leaders, and the registrations of their
 * JobMasters. Lives in the mailbox of the ResourceManager.
 */
final class JobMasterRegistry implements FollowerRegistry.Leader<JobMasterRegistry.Registered> {
  private static final Logger LOG = LoggerFactory.getLogger(JobMasterRegistry.class);

  /** Longer than a JobMaster needs to report the end of its job if nothing is lost. */
  private static final Duration RESULT_CHECK_INTERVAL = Duration.ofSeconds(10);

  private final ResourceManagerContext context;
  private final JobResultStore results;
  private final DoubleConsumer progress;
  private Optional<LeaderRetrieval> leaders = Optional.empty();
  private final Duration jobTimeout;
  private final Duration requestTimeout;
  private FollowerRegistry<JobId, Registered> registered;
  private final Map<JobId, Job> jobs = new TreeMap<>();

  /** A job whose JobMaster is, was or wants to be registered. */
  private static final class Job {
    private final JobId id;
    private Subscription leaderSubscription = () -> {};
    private Optional<Leader> leader = Optional.empty();

    /** The newest leader that has registered, even if its registration has ended. */
    private Optional<LeaderToken> lastRegistered = Optional.empty();

    private Optional<PendingRegistration> pending = Optional.empty();
    private Mailbox.Timer removal = () -> {};
    private Mailbox.Timer resultCheck = () -> {};
    private int missing;
    private Optional<Reason> reason = Optional.empty();

    Job(JobId id) {
      this.id = id;
    }
  }

  /** A registration that waits until the leader of the job is known. */
  private record PendingRegistration(
      RegisterJobMaster request, CompletableFuture<JobMasterReply> reply, Mailbox.Timer deadline) {}

  /** One registration of a JobMaster; a later one is another object. */
  static final class Registered {
    private final RegisterJobMaster request;
    private final JobMasterGateway gateway;

    /** For heartbeats: its request timeout is the heartbeat timeout. */
    private final JobMasterGateway heartbeatGateway;

    /** Whether it was notified of the missing slots of its job. */
    private boolean notified;

    private JobMasterReport report = new JobMasterReport(0, 0, 0);

    Registered(
        RegisterJobMaster request, JobMasterGateway gateway, JobMasterGateway heartbeatGateway) {
      this.request = request;
      this.gateway = gateway;
      this.heartbeatGateway = heartbeatGateway;
    }
  }

  /**
   * @param results read for jobs without a leader
   * @param progress gets how far the jobs are, from 0 to 1, from time to time
   */
  JobMasterRegistry(
      ResourceManagerContext context, JobResultStore results, DoubleConsumer progress) {
    this.context = context;
    this.results = results;
    this.progress = progress;
    this.jobTimeout = context.configuration().get(ResourceManagerOptions.JOB_TIMEOUT);
    this.requestTimeout = context.configuration().get(RpcOptions.ASK_TIMEOUT);
  }

  /** Starts to accept registrations and to request heartbeats. */
  void startHeartbeats() {
    registered =
        new FollowerRegistry<>(
            context.rpc(),
            context.mailbox(),
            HeartbeatSettings.from(context.configuration()),
            this);
  }

  /** Sets the service that finds the leaders of jobs. */
  void track(LeaderRetrieval leaders) {
    this.leaders = Optional.of(leaders);
  }

  CompletableFuture<JobMasterReply> register(RegisterJobMaster request) {
    Job job = jobs.computeIfAbsent(request.job(), this::follow);
    if (isRegistered(job.id, request.leader())) {
      return CompletableFuture.completedFuture(accepted());
    }
    CompletableFuture<JobMasterReply> reply = new CompletableFuture<>();
    if (job.pending.isPresent()) {
      PendingRegistration older = job.pending.get();
      if (older.request().equals(request)) {
        // A repeated request gets the same reply and a new deadline.
        older.deadline().cancel();
        reply = older.reply();
      } else {
        refuse(job, older, new NewerAttempt());
      }
    }
    await(job, request, reply);
    decide(job);
    return reply;
  }

  private void await(Job job, RegisterJobMaster request, CompletableFuture<JobMasterReply> reply) {
    Mailbox.Timer deadline =
        context
            .mailbox()
            .after(
                requestTimeout,
                () ->
                    job.pending
                        .filter(pending -> pending.reply() == reply)
                        .ifPresent(
                            pending ->
                                refuse(
                                    job, pending, new NotLeader(job.leader.map(Leader::token)))));
    job.pending = Optional.of(new PendingRegistration(request, reply, deadline));
  }

  /** Fails unless the leader is the registered JobMaster of the job. */
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

  /** Notifies a job of its missing slots. Returns whether their number has changed. */
  boolean notifyPending(NotifyPending pending) {
    Job job = jobs.get(pending.job());
    if (job == null) {
      return false;
    }
    boolean changed = job.missing != pending.missing();
    job.missing = pending.missing();
    job.reason = pending.reason();
    registered.get(job.id).ifPresent(jobMaster -> send(job, jobMaster));
    return changed;
  }

  /** Notifies a JobMaster of missing slots of which only its predecessor was notified. */
  void notifySuccessor(JobId id) {
    Job job = jobs.get(id);
    registered
        .get(id)
        .filter(jobMaster -> !jobMaster.notified && job.missing > 0)
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
                              new RequirementsFailed(context.token(), reason)));
            });
  }

  /**
   * A JobMaster has ended its registration. The end of the job counts even if the JobMaster is not
   * registered any more or has not registered yet: it has no successor that would declare empty
   * requirements.
   */
  void disconnected(JobMasterLeaves notice) {
    Job job = jobs.get(notice.job());
    if (job == null || job.lastRegistered.isEmpty()) {
      return;
    }
    LeaderToken last = job.lastRegistered.get();
    boolean later = notice.leader().term() > last.term();
    if (!notice.leader().equals(last) && !(notice.ended() && later)) {
      return;
    }
    close(job, notice.reason(), later);
    if (notice.ended()) {
      remove(job, new JobEndReported(), new JobEnded(job.id));
    }
  }

  void close() {
    registered.close();
    for (Job job : jobs.values()) {
      job.leaderSubscription.cancel();
      job.removal.cancel();
      job.resultCheck.cancel();
      job.pending.ifPresent(pending -> pending.deadline().cancel());
    }
  }

  private Job follow(JobId id) {
    Job job = new Job(id);
    scheduleRemoval(job);
    job.leaderSubscription =
        leaders
            .orElseThrow()
            .follow(
                ComponentNames.jobMaster(id),
                context.mailbox(),
                leader ->
                    leader.ifPresentOrElse(
                        elected -> leaderElected(job, elected), () -> leaderLost(job)));
    return job;
  }

  private void leaderElected(Job job, Leader leader) {
    job.leader = Optional.of(leader);
    job.removal.cancel();
    job.resultCheck.cancel();
    if (!isRegistered(job.id, leader.token())) {
      close(job, new LeadershipEnded(), true);
    }
    decide(job);
  }

  private void leaderLost(Job job) {
    job.leader = Optional.empty();
    job.removal.cancel();
    job.resultCheck.cancel();
    scheduleRemoval(job);
    scheduleResultCheck(job);
  }

  /**
   * Looks for the result of a job without a leader. If its last JobMaster could not report the end
   * before its process ended, nobody else does, and the requirements would be served until the job
   * timeout.
   */
  private void scheduleResultCheck(Job job) {
    job.resultCheck = context.mailbox().after(RESULT_CHECK_INTERVAL, () -> checkResult(job));
  }

  private void checkResult(Job job) {
    context
        .env()
        .io()
        .call(context.mailbox(), () -> results.contains(job.id))
        .whenComplete(
            (ended, failure) -> {
              if (job.leader.isPresent() || jobs.get(job.id) != job) {
                return;
              }
              if (failure != null) {
                LOG.warn("The result of job {} could not be read", job.id, failure);
              }
              if (failure == null && ended) {
                remove(job, new EndedUnderEarlierLeader(), new JobEnded(job.id));
              } else {
                job.resultCheck.cancel();
                scheduleResultCheck(job);
              }
            });
  }

  /** Removes the job after the job timeout unless a leader is elected before. */
  private void scheduleRemoval(Job job) {
    job.removal =
        context
            .mailbox()
            .after(
                jobTimeout,
                () -> remove(job, new LeaderTimeout(jobTimeout), new JobForgotten(job.id)));
  }

  /** Answers a pending registration if the known leader is at least as new as its JobMaster. */
  private void decide(Job job) {
    if (job.pending.isEmpty() || job.leader.isEmpty()) {
      return;
    }
    PendingRegistration pending = job.pending.get();
    LeaderToken leader = job.leader.get().token();
    if (pending.request().leader().equals(leader)) {
      job.pending = Optional.empty();
      pending.deadline().cancel();
      accept(job, pending.request());
      pending.reply().complete(accepted());
    } else if (pending.request().leader().term() <= leader.term()) {
      refuse(job, pending, new NotLeader(Optional.of(leader)));
    }
  }

  private void accept(Job job, RegisterJobMaster request) {
    close(job, new LeadershipEnded(), true);
    Registered jobMaster =
        new Registered(
            request,
            gateway(request, requestTimeout),
            gateway(request, HeartbeatSettings.from(context.configuration()).timeout()));
    job.lastRegistered = Optional.of(request.leader());
    registered.add(job.id, request.address().process(), jobMaster);
    LOG.info("JobMaster {} of job {} registered", request.leader(), job.id);
    context.record(new ResourceManagerEvent.JobMasterRegistered(request.address()), job.id);
  }

  private void refuse(Job job, PendingRegistration pending, Reason reason) {
    job.pending = Optional.empty();
    pending.deadline().cancel();
    LOG.info(
        "The registration of JobMaster {} of job {} was refused: {}",
        pending.request().leader(),
        job.id,
        ReasonText.of(reason));
    pending
        .reply()
        .complete(
            new JobMasterReply(RegistrationStatus.REFUSED, Optional.of(reason), Optional.empty()));
  }

  private JobMasterGateway gateway(RegisterJobMaster request, Duration timeout) {
    return context
        .rpc()
        .gateway(
            JobMasterGateway.class,
            request.address(),
            Optional.of(request.leader()),
            context.mailbox(),
            timeout);
  }

  @Override
  public CompletableFuture<Runnable> ask(Registered jobMaster) {
    return jobMaster
        .heartbeatGateway
        .heartbeatFromResourceManager(new AskJobMaster(context.token()))
        .thenApply(report -> () -> reported(jobMaster, report));
  }

  private void reported(Registered jobMaster, JobMasterReport report) {
    jobMaster.report = report;
    progress.accept(progress());
  }

  /** How far the jobs are, from 0 to 1. A task that runs counts half, as one may run forever. */
  private double progress() {
    double tasks = 0;
    double done = 0;
    for (Registered jobMaster : registered.all()) {
      tasks += jobMaster.report.tasks();
      done += jobMaster.report.finished() + jobMaster.report.running() / 2.0;
    }
    return tasks == 0 ? 0 : done / tasks;
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

  private void close(Job job, Reason reason, boolean notify) {
    registered.get(job.id).ifPresent(jobMaster -> close(job, jobMaster, reason, notify));
  }

  private void close(Job job, Registered jobMaster, Reason reason, boolean notify) {
    registered.remove(job.id, jobMaster);
    LOG.info(
        "The registration of JobMaster {} of job {} has ended: {}",
        jobMaster.request.leader(),
        job.id,
        ReasonText.of(reason));
    context.record(new JobMasterLost(reason), job.id);
    if (notify) {
      jobMaster.gateway.disconnectResourceManager(
          new ResourceManagerForgets(context.token(), reason));
    }
  }

  private void remove(Job job, Reason reason, SlotEvent event) {
    if (!jobs.remove(job.id, job)) {
      return;
    }
    close(job, reason, true);
    job.pending.ifPresent(pending -> refuse(job, pending, reason));
    job.leaderSubscription.cancel();
    job.removal.cancel();
    job.resultCheck.cancel();
    LOG.info("Job {} is removed: {}", job.id, ReasonText.of(reason));
    context.record(new ResourceManagerEvent.JobForgotten(reason), job.id);
    context.apply().accept(event);
  }

  private void send(Job job, Registered jobMaster) {
    jobMaster.notified = true;
    jobMaster.gateway.requirementsPending(
        new RequirementsPending(context.token(), job.missing, job.reason));
  }

  private JobMasterReply accepted() {
    return new JobMasterReply(
        RegistrationStatus.ACCEPTED,
        Optional.empty(),
        Optional.of(new JobMasterRegistered(context.token())));
  }
}
