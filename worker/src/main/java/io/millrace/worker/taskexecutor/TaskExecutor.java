package io.millrace.worker.taskexecutor;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.reason.JobReason.JobEndReported;
import io.millrace.protocol.reason.PeerReason.WorkerStops;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.worker.slots.SlotTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TaskManager: gives its slots to jobs as the ResourceManager says, offers them to the jobs'
 * leaders and runs what those deploy. The task host and the blob cache belong to whoever made them;
 * they are closed after this endpoint has stopped.
 */
public final class TaskExecutor extends Endpoint implements TaskManagerGateway {
  private static final Logger LOG = LoggerFactory.getLogger(TaskExecutor.class);

  /** How long a stop waits for tasks to end. */
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  private final TaskExecutorContext worker;
  private final TokenReceipt tokens;
  private final TaskExecutorResourceManagerConnection resourceManager;
  private final TimedSlotTable slots;
  private final ClusterPartitions results;
  private final Map<JobId, HostedJob> jobs = new LinkedHashMap<>();
  private final CompletableFuture<Void> emptied = new CompletableFuture<>();
  private Optional<Reason> stopReason = Optional.empty();
  private boolean stopping;

  /**
   * @param fatal ends the process; told once or more, inside the mailbox
   */
  public TaskExecutor(
      Rpc rpc,
      LeaderRetrieval leaders,
      WorkerSettings settings,
      TaskExecutorServices services,
      Consumer<Throwable> fatal) {
    this(rpc, leaders, settings, settings.slotTable(), services, fatal);
  }

  /**
   * One whose slots its maker can look at, from inside the mailbox.
   *
   * @param table made by {@link WorkerSettings#slotTable}
   */
  public TaskExecutor(
      Rpc rpc,
      LeaderRetrieval leaders,
      WorkerSettings settings,
      SlotTable table,
      TaskExecutorServices services,
      Consumer<Throwable> fatal) {
    super(rpc, nameOf(settings.worker()), Optional.empty());
    this.worker =
        new TaskExecutorContext(
            rpc,
            mailbox,
            address(),
            env.wallMillis(),
            leaders,
            settings,
            services,
            this::record,
            fatal);
    this.tokens = new TokenReceipt(worker);
    this.resourceManager =
        new TaskExecutorResourceManagerConnection(worker, table::report, tokens::take);
    this.results = new ClusterPartitions(worker, resourceManager::report);
    this.slots = new TimedSlotTable(worker, table, resourceManager::slotAvailable, this::expired);
  }

  /** The endpoint's name in its process. */
  public static String nameOf(WorkerId worker) {
    return "taskmanager-" + worker;
  }

  @Override
  protected void onStart() {
    LOG.info("Worker {} starts with {} slots", worker.id(), worker.settings().slots());
    resourceManager.start();
  }

  /**
   * Stops because the process ends in the middle of a task, which is not waited for.
   *
   * @param reason what jobs and the ResourceManager hear
   */
  public CompletableFuture<Void> abandon(Reason reason) {
    mailbox.post(() -> stopReason = Optional.of(reason));
    return stop();
  }

  @Override
  protected CompletableFuture<Void> onStop() {
    stopping = true;
    Reason reason = stopReason.orElseGet(WorkerStops::new);
    resourceManager.close(reason);
    new ArrayList<>(jobs.values()).forEach(job -> job.leave(reason));
    Mailbox.Timer bound =
        mailbox.after(
            STOP_BOUND,
            () -> {
              LOG.warn("Worker {} stops although tasks of jobs {} run", worker.id(), jobs.keySet());
              emptied.complete(null);
            });
    if (stopReason.isPresent()) {
      emptied.complete(null);
    }
    endIfStopped();
    return emptied.whenComplete((nothing, failure) -> bound.cancel());
  }

  @Override
  public CompletableFuture<SlotReply> requestSlot(RequestSlot request) {
    if (!resourceManager.isFrom(request.resourceManager(), request.instance())) {
      return CompletableFuture.completedFuture(
          SlotReply.unregistered(
              resourceManager.elsewhere(request.resourceManager(), request.instance())));
    }
    Occupant occupant = new Occupant(request.allocation(), request.job());
    SlotReply reply = slots.allocate(request.slot(), occupant, request.profile());
    String slot = request.slot().map(index -> "slot " + index).orElse("a carved slot");
    if (reply.granted()) {
      LOG.debug(
          "{} of {} ({}) is given to job {} as {}",
          slot,
          worker.id(),
          request.profile(),
          request.job(),
          request.allocation());
      HostedJob job = jobs.get(request.job());
      if (job == null) {
        job = new HostedJob(worker, request.job(), slots, results, this::gone);
        jobs.put(request.job(), job);
        job.start();
      } else {
        job.offerSoon();
      }
    } else {
      LOG.info(
          "Refused {} to job {}: {}",
          slot,
          request.job(),
          ReasonText.of(reply.reason().orElseThrow()));
    }
    return CompletableFuture.completedFuture(reply);
  }

  @Override
  public CompletableFuture<Acknowledge> freeSlot(FreeSlot request) {
    job(request.job(), request.jobMaster()).free(request);
    return acknowledged();
  }

  @Override
  public CompletableFuture<Acknowledge> deployTasks(DeployTasks deployment) {
    return job(deployment.job(), deployment.jobMaster()).deploy(deployment);
  }

  @Override
  public CompletableFuture<Acknowledge> cancelTasks(CancelTasks request) {
    job(request.job(), request.jobMaster()).cancel(request);
    return acknowledged();
  }

  @Override
  public CompletableFuture<Acknowledge> triggerCheckpoint(TriggerCheckpoint request) {
    job(request.job(), request.jobMaster()).triggerCheckpoint(request);
    return acknowledged();
  }

  @Override
  public void checkpointCompleted(CheckpointCompleted notice) {
    find(notice.job()).ifPresent(job -> job.checkpointCompleted(notice));
  }

  @Override
  public void checkpointAborted(CheckpointAborted notice) {
    find(notice.job()).ifPresent(job -> job.checkpointAborted(notice));
  }

  @Override
  public CompletableFuture<Acknowledge> keepPartitions(KeepPartitions request) {
    return job(request.job(), request.jobMaster()).keep(request);
  }

  @Override
  public CompletableFuture<Acknowledge> releasePartitions(ReleasePartitions request) {
    if (!resourceManager.isFrom(request.resourceManager(), request.instance())) {
      throw resourceManager.fenced(request.resourceManager(), request.instance());
    }
    results.drop(request.partitions());
    return acknowledged();
  }

  @Override
  public CompletableFuture<WorkerReport> heartbeatFromResourceManager(AskWorker question) {
    if (!resourceManager.isFrom(question.resourceManager(), question.instance())) {
      throw resourceManager.fenced(question.resourceManager(), question.instance());
    }
    resourceManager.heard();
    return CompletableFuture.completedFuture(
        new WorkerReport(
            slots.table().report(), results.report(), worker.settings().metrics().get()));
  }

  @Override
  public CompletableFuture<TaskReport> heartbeatFromJobMaster(AskTasks question) {
    return CompletableFuture.completedFuture(
        job(question.job(), question.jobMaster()).report(question.jobMaster()));
  }

  @Override
  public void jobEnded(JobEnded notice) {
    HostedJob job = jobs.get(notice.job());
    if (job != null && resourceManager.isFrom(notice.resourceManager(), notice.instance())) {
      job.ended(new JobEndReported());
    }
  }

  @Override
  public CompletableFuture<Acknowledge> updateTokens(UpdateTokens update) {
    if (!resourceManager.isFrom(update.resourceManager(), update.instance())) {
      throw resourceManager.fenced(update.resourceManager(), update.instance());
    }
    return tokens.take(update.tokens()).thenApply(taken -> updated(update.tokens()));
  }

  private Acknowledge updated(List<IssuedToken> taken) {
    LOG.info("Worker {} has taken fresh delegation tokens: {}", worker.id(), taken);
    return Acknowledge.INSTANCE;
  }

  @Override
  public void disconnectResourceManager(ResourceManagerDrops notice) {
    if (resourceManager.isFrom(notice.resourceManager(), notice.instance())) {
      if (notice.forGood()) {
        resourceManager.countedOut(notice.reason());
      } else {
        resourceManager.dropped(notice.reason());
      }
    }
  }

  @Override
  public void disconnectJobMaster(JobMasterDrops notice) {
    HostedJob job = jobs.get(notice.job());
    if (job != null) {
      job.dropped(notice.jobMaster(), notice.ended(), notice.reason());
    }
  }

  private Optional<HostedJob> find(JobId id) {
    return Optional.ofNullable(jobs.get(id));
  }

  private HostedJob job(JobId id, LeaderToken jobMaster) {
    HostedJob job = jobs.get(id);
    if (job == null) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Worker "
              + worker.id()
              + " has no slot of job "
              + id
              + " and follows no leader of it; the call carries "
              + jobMaster
              + ".");
    }
    return job;
  }

  private void expired(Occupant occupant) {
    jobs.get(occupant.job()).expired(occupant.allocation());
  }

  private void gone(JobId job) {
    jobs.remove(job);
    endIfStopped();
  }

  private void endIfStopped() {
    if (stopping && jobs.isEmpty()) {
      emptied.complete(null);
    }
  }

  private static CompletableFuture<Acknowledge> acknowledged() {
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }
}
