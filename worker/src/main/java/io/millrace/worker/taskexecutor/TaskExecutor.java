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
 * The endpoint of a TaskManager: allocates slots to jobs on request of the ResourceManager, offers
 * them to the leaders of the jobs and runs the tasks that they deploy. The creator owns the task
 * host and the blob cache and closes them after this endpoint has stopped.
 */
public final class TaskExecutor extends Endpoint implements TaskManagerGateway {
  private static final Logger LOG = LoggerFactory.getLogger(TaskExecutor.class);

  /** How long a stop waits for tasks to end. */
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final TaskExecutorContext worker;
  private final TokenReceipt tokens;
  private final TaskExecutorResourceManagerConnection resourceManager;
  private final TimedSlotTable slots;
  private final ClusterPartitions partitions;
  private final Map<JobId, HostedJob> jobs = new LinkedHashMap<>();
  private final CompletableFuture<Void> emptied = new CompletableFuture<>();
  private Optional<Reason> stopReason = Optional.empty();
  private boolean stopping;

  /**
   * @param fatal ends the process; called in the mailbox, possibly more than once
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
   * An endpoint whose slot table is accessible from the mailbox.
   *
   * @param table created by {@link WorkerSettings#slotTable}
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
        new TaskExecutorResourceManagerConnection(worker, table::report, tokens::receive);
    this.partitions = new ClusterPartitions(worker, resourceManager::report);
    this.slots = new TimedSlotTable(worker, table, resourceManager::slotAvailable, this::expired);
  }

  /** The name of the endpoint in its process. */
  public static String nameOf(WorkerId worker) {
    return "taskmanager-" + worker;
  }

  @Override
  protected void onStart() {
    LOG.info("Worker {} starts with {} slots", worker.id(), worker.settings().slots());
    resourceManager.start();
  }

  /**
   * Stops without waiting for tasks, because the process ends.
   *
   * @param reason sent to JobMasters and the ResourceManager
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
    Mailbox.Timer timer =
        mailbox.after(
            STOP_TIMEOUT,
            () -> {
              LOG.warn(
                  "Worker {} stops while tasks of jobs {} are running", worker.id(), jobs.keySet());
              emptied.complete(null);
            });
    if (stopReason.isPresent()) {
      emptied.complete(null);
    }
    completeStopIfEmpty();
    return emptied.whenComplete((nothing, failure) -> timer.cancel());
  }

  @Override
  public CompletableFuture<SlotReply> requestSlot(RequestSlot request) {
    if (!resourceManager.isFrom(request.resourceManager(), request.instance())) {
      return CompletableFuture.completedFuture(
          SlotReply.unregistered(
              resourceManager.elsewhere(request.resourceManager(), request.instance())));
    }

    SlotReply reply = slots.allocate(request);
    String slot = request.slot().map(index -> "slot " + index).orElse("a carved slot");
    if (reply.granted()) {
      LOG.debug(
          "{} of {} ({}) is allocated to job {} as {}",
          slot,
          worker.id(),
          request.profile(),
          request.job(),
          request.allocation());
      HostedJob job = jobs.get(request.job());
      if (job == null) {
        job = new HostedJob(worker, request.job(), slots, partitions, this::jobRemoved);
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
  public CompletableFuture<Acknowledge> adoptTasks(AdoptTasks request) {
    return job(request.job(), request.jobMaster()).adopt(request);
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
  public CompletableFuture<Acknowledge> checkpointCompleted(CheckpointCompleted notice) {
    job(notice.job(), notice.jobMaster()).checkpointCompleted(notice);
    return acknowledged();
  }

  @Override
  public CompletableFuture<Acknowledge> checkpointAborted(CheckpointAborted notice) {
    job(notice.job(), notice.jobMaster()).checkpointAborted(notice);
    return acknowledged();
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
    partitions.drop(request.partitions());
    return acknowledged();
  }

  @Override
  public CompletableFuture<WorkerReport> heartbeatFromResourceManager(AskWorker request) {
    if (!resourceManager.isFrom(request.resourceManager(), request.instance())) {
      throw resourceManager.fenced(request.resourceManager(), request.instance());
    }
    resourceManager.heard();
    return CompletableFuture.completedFuture(
        new WorkerReport(
            slots.table().report(), partitions.report(), worker.settings().metrics().get()));
  }

  @Override
  public CompletableFuture<TaskReport> heartbeatFromJobMaster(AskTasks request) {
    return CompletableFuture.completedFuture(
        job(request.job(), request.jobMaster()).report(request.jobMaster()));
  }

  @Override
  public CompletableFuture<TaskMetricsReport> readTaskMetrics(ReadTaskMetrics request) {
    return job(request.job(), request.jobMaster()).metrics(request.jobMaster());
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
    return tokens.receive(update.tokens()).thenApply(accepted -> updated(update.tokens()));
  }

  private Acknowledge updated(List<IssuedToken> accepted) {
    LOG.info("Worker {} uses new delegation tokens: {}", worker.id(), accepted);
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

  private void jobRemoved(JobId job) {
    jobs.remove(job);
    completeStopIfEmpty();
  }

  private void completeStopIfEmpty() {
    if (stopping && jobs.isEmpty()) {
      emptied.complete(null);
    }
  }

  private static CompletableFuture<Acknowledge> acknowledged() {
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }
}
