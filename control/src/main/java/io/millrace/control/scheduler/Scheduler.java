package io.millrace.control.scheduler;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.checkpoint.CheckpointPlan;
import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.ConcurrentFailure;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobMasterGateway.JobMasterReport;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.StoredDeployment;
import io.millrace.protocol.StoredDeployment.StoredExecution;
import io.millrace.protocol.StoredDeployment.StoredSlot;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.reason.JobReason.CancelledByUser;
import io.millrace.protocol.reason.JobReason.JobFailure;
import io.millrace.protocol.reason.JobReason.JobRestarted;
import io.millrace.protocol.reason.JobReason.JobScheduled;
import io.millrace.protocol.reason.JobReason.LeadershipLost;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import io.millrace.protocol.reason.Reason;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Decides for one job which task runs in which slot, when a region is deployed, how a failure is
 * handled and when the job has ended. Each method is an event and returns the resulting actions.
 *
 * <p>A plain object, confined to the mailbox of its JobMaster. The cost of an event is proportional
 * to the number of tasks it is about.
 */
public final class Scheduler {
  private final ExecutionGraph graph;
  private final SlotDemand slots;
  private final RestartPolicy restarts;
  private final JobProgress progress;
  private final ExecutionAttempts attempts;
  private final RegionFailovers failovers = new RegionFailovers();
  private final EventActions actions = new EventActions();
  private long deployments;
  private long heartbeats;
  private boolean allRunning;
  private final WorkerLosses losses = new WorkerLosses();

  /** The regions that end because of the savepoint of a stop, until one of them fails. */
  private final Set<Region> stopped = new LinkedHashSet<>();

  /**
   * @param configuration of the job, which overrides that of the cluster
   * @param firstDeployment the number of the first deployment, higher than any number of an earlier
   *     leader of this job
   * @param random draws the ids of executions
   */
  public Scheduler(
      JobGraph job,
      Configuration configuration,
      SlotPool pool,
      long firstDeployment,
      RandomGenerator random,
      ClockReading now) {
    this.graph = new ExecutionGraph(job);
    this.slots = new SlotDemand(graph, pool);
    this.deployments = firstDeployment;
    this.restarts = new RestartPolicy(configuration, random);
    this.progress = new JobProgress(job, now.wallMillis());
    this.attempts = new ExecutionAttempts(random, progress);
    for (Subtask subtask : graph.subtasks) {
      attempts.begin(subtask, 0, now);
    }
    progress.become(JobStatus.CREATED, now.wallMillis());
  }

  public JobStatus status() {
    return progress.status();
  }

  /** Requests slots. The job becomes RUNNING. */
  public List<SchedulerAction> start(ClockReading now) {
    become(JobStatus.RUNNING, new JobScheduled(), now);
    graph.regions.forEach(region -> schedule(region, now));
    return finishEvent(now);
  }

  /**
   * What this leader adopts of its predecessor, to be decided before the start.
   *
   * @param stored by the predecessor
   * @param completed the last checkpoint that is complete; 0 for none
   */
  public RegionAdoption adoption(StoredDeployment stored, long completed) {
    return new RegionAdoption(graph, stored, completed);
  }

  /** Starts the job with the tasks that are adopted, and requests slots for the others. */
  public List<SchedulerAction> start(RegionAdoption adoption, ClockReading now) {
    become(JobStatus.RUNNING, new JobScheduled(), now);
    adoption.adopted().forEach(region -> region.phase = Region.Phase.ACTIVE);
    Map<WorkerId, List<TaskInSlot>> tasks = new LinkedHashMap<>();
    int restarted = 0;
    for (int i = 0; i < graph.subtasks.size(); i++) {
      Subtask subtask = graph.subtasks.get(i);
      StoredExecution stored = adoption.execution(i);
      if (subtask.region.phase == Region.Phase.ACTIVE) {
        attempts.replace(subtask, stored.execution(), stored.attempt(), now);
        subtask.current.checkpoints = stored.checkpoints();
        StoredSlot slot = adoption.slot(stored);
        AllocatedSlot allocated =
            new AllocatedSlot(slot.allocation(), slot.worker(), slot.profile());
        if (adoption.isRunning(stored) && !subtask.slot.requested) {
          slots.adopt(subtask.slot, allocated);
        }
        become(subtask.current, TaskState.SCHEDULED, now);
        become(subtask.current, TaskState.DEPLOYING, now);
        deploy(subtask.current, allocated);
        tasks
            .computeIfAbsent(slot.worker(), x -> new ArrayList<>())
            .add(new TaskInSlot(subtask.spec(), slot.allocation()));
      } else {
        restarted++;
      }
    }
    List<SchedulerAction.Share> shares = new ArrayList<>();
    tasks.forEach((worker, of) -> shares.add(new SchedulerAction.Share(worker, of, List.of())));
    actions.add(new SchedulerAction.Adopt(shares, restarted));
    graph.regions.stream()
        .filter(region -> region.phase == Region.Phase.CREATED)
        .forEach(region -> schedule(region, now));
    return finishEvent(now);
  }

  /** Tasks are deployed with the last completed checkpoint. */
  public void deploys(SchedulerAction.Deploy deploy, CheckpointOutcomes checkpoints) {
    for (SchedulerAction.Share share : deploy.shares()) {
      attempts.active(share).forEach(execution -> execution.checkpoints = checkpoints);
    }
  }

  /** The executions that the next leader may adopt. */
  public StoredDeployment deployment() {
    return AdoptableExecutions.of(graph);
  }

  /**
   * A deployment is sent now that was decided before. Tasks that are being cancelled have not
   * started and end.
   *
   * @param unsent gets what is left of it
   */
  public List<SchedulerAction> sending(
      SchedulerAction.Deploy deploy, List<SchedulerAction.Share> unsent, ClockReading now) {
    for (SchedulerAction.Share share : deploy.shares()) {
      List<TaskInSlot> tasks = new ArrayList<>();
      for (TaskInSlot task : share.tasks()) {
        Optional<Execution> known = attempts.active(share.worker(), task.task().execution());
        if (known.filter(execution -> execution.state() == TaskState.DEPLOYING).isPresent()) {
          tasks.add(task);
        } else {
          known.ifPresent(execution -> become(execution, TaskState.CANCELED, now));
        }
      }
      if (!tasks.isEmpty()) {
        unsent.add(new SchedulerAction.Share(share.worker(), tasks, share.placement()));
      }
    }
    return finishEvent(now);
  }

  /** Registers a worker that may offer slots. */
  public void workerRegistered(WorkerId worker, String dataAddress) {
    attempts.hosts.add(worker, dataAddress);
  }

  /** Slots of a registered worker. Adds the accepted ones to {@code accepted}. */
  public List<SchedulerAction> offer(
      WorkerId worker, List<SlotOffer> offers, List<AllocationId> accepted, ClockReading now) {
    if (!attempts.hosts.knows(worker)) {
      throw new IllegalStateException("Worker " + worker + " offers slots but is not registered");
    }
    accepted.addAll(slots.offer(worker, offers, now.nanos()));
    return finishEvent(now);
  }

  /** A worker is lost with all its slots and tasks. Costs at most one restart. */
  public List<SchedulerAction> workerLost(WorkerId worker, Failure failure, ClockReading now) {
    List<Execution> lost = attempts.active(worker);
    attempts.hosts.remove(worker);
    slots.workerLost(worker);
    fail(lost, FailureCause.lostWorker(failure, worker), now);
    return finishEvent(now);
  }

  /**
   * The driver will say why a lost worker ended, or that it does not know. Comes before {@link
   * #workerLost}. A job that fails because of the loss ends after {@link #lossExplained}.
   */
  public void awaitExplanation(Failure loss) {
    losses.await(loss);
  }

  /**
   * The cause of a lost worker is known, or is not going to be known.
   *
   * @param loss as in {@link #workerLost}
   * @param better the same loss with its cause
   */
  public List<SchedulerAction> lossExplained(Failure loss, Failure better, ClockReading now) {
    losses.explained(loss, better);
    progress.explained(loss, better);
    return finishEvent(now);
  }

  /** A single slot is lost. Tasks in it are cancelled; their worker reports their ends. */
  public List<SchedulerAction> slotLost(
      WorkerId worker, AllocationId allocation, Failure failure, ClockReading now) {
    Optional<SharedSlot> slot = slots.slotLost(worker, allocation);
    if (slot.isPresent()) {
      List<Execution> lost = attempts.active(worker, List.of(slot.get()));
      fail(lost, FailureCause.stillRunning(failure, worker), now);
    }
    return finishEvent(now);
  }

  /**
   * State changes that a worker reports. Updates of executions that are not current are ignored.
   */
  public List<SchedulerAction> tasksUpdated(
      WorkerId worker, List<TaskUpdate> updates, ClockReading now) {
    for (TaskUpdate update : updates) {
      Optional<Execution> known = attempts.active(worker, update.execution());
      if (known.isPresent()) {
        updated(known.get(), update, now);
      } else if (!update.state().isTerminal()) {
        cancel(worker, update.execution());
      }
    }
    return finishEvent(now);
  }

  /** A worker has accepted its share of a deployment. */
  public void deployed(SchedulerAction.Share share) {
    attempts.active(share).forEach(execution -> execution.acknowledge(heartbeats));
  }

  /**
   * A worker has refused its share of a deployment.
   *
   * @param unusableCheckpoint the checkpoint whose state it could not use, if that is the cause
   */
  public List<SchedulerAction> deploymentFailed(
      SchedulerAction.Share share,
      Failure failure,
      OptionalLong unusableCheckpoint,
      ClockReading now) {
    fail(
        attempts.active(share),
        FailureCause.ended(failure, share.worker()).with(unusableCheckpoint),
        now);
    return finishEvent(now);
  }

  /**
   * It is unknown whether a worker has accepted its share of a deployment. Its next report will
   * show it.
   */
  public List<SchedulerAction> deploymentUnclear(
      SchedulerAction.Share share, Failure failure, ClockReading now) {
    deployed(share);
    fail(attempts.active(share), FailureCause.stillRunning(failure, share.worker()), now);
    return finishEvent(now);
  }

  /**
   * The number of the next heartbeat request, which is passed to {@link #reconcile} with the
   * report.
   */
  public long nextHeartbeat() {
    slots.heartbeatRequested(++heartbeats);
    return heartbeats;
  }

  /**
   * The report of a worker: unexpected tasks are cancelled, and missing ones have failed. Slots
   * that the worker no longer holds for the job are lost: a worker that lost its JobMaster for a
   * while may have freed them without a notice.
   */
  public List<SchedulerAction> reconcile(
      WorkerId worker, long heartbeat, TaskReport report, ClockReading now) {
    TaskReconciliation difference = TaskReconciliation.of(attempts, worker, heartbeat, report);
    difference.unexpected().forEach(execution -> cancel(worker, execution));
    for (TaskCounters counters : report.counters()) {
      attempts.latest(counters.execution()).ifPresent(latest -> latest.counters(counters));
    }
    List<Execution> missing = difference.missing();
    if (!missing.isEmpty()) {
      fail(missing, FailureCause.tasksMissing(worker, missing.size()), now);
    }
    slotsReported(worker, heartbeat, report, now);
    return finishEvent(now);
  }

  /**
   * Runs after missing tasks have failed: the other tasks in a lost slot still run and are
   * cancelled.
   */
  private void slotsReported(WorkerId worker, long heartbeat, TaskReport report, ClockReading now) {
    List<SharedSlot> lost = slots.reported(worker, heartbeat, report.slots());
    if (!lost.isEmpty()) {
      fail(attempts.active(worker, lost), FailureCause.slotsGone(worker, lost.size()), now);
    }
  }

  /** The delay of a restart is over. */
  public List<SchedulerAction> restartDue(long failover, ClockReading now) {
    failovers.delayOver(failover).forEach(region -> restartIfStopped(region, now));
    return finishEvent(now);
  }

  /** Cancels the job on behalf of the user. Ignored if the job is already ending. */
  public List<SchedulerAction> cancel(ClockReading now) {
    if (status().canBecome(JobStatus.CANCELLING)) {
      cancel(new CancelledByUser(), now);
    }
    return finishEvent(now);
  }

  /** Cancels the job for a cause. Ignored if the job is already ending. */
  public List<SchedulerAction> cancel(Failure cause, ClockReading now) {
    if (status().canBecome(JobStatus.CANCELLING)) {
      progress.failed(cause, now);
      cancel(because(cause), now);
    }
    return finishEvent(now);
  }

  private void cancel(Reason reason, ClockReading now) {
    become(JobStatus.CANCELLING, reason, now);
    stopAll(now);
  }

  /** Fails the job independently of its restart strategy. */
  public List<SchedulerAction> fail(Failure failure, ClockReading now) {
    if (status().canBecome(JobStatus.FAILING)) {
      progress.failed(failure, now);
      end(failure, because(failure), now);
    }
    return finishEvent(now);
  }

  /** The tasks that would take part in a checkpoint now, or why there can be none. */
  public CheckpointPlan checkpointPlan() {
    return CheckpointParticipants.of(graph);
  }

  /** Restarts all regions that have not finished, as far as the restart strategy allows. */
  public List<SchedulerAction> restartAll(Failure failure, ClockReading now) {
    List<Execution> running =
        graph.subtasks.stream()
            .map(subtask -> subtask.current)
            .filter(execution -> !execution.state().isTerminal())
            .toList();
    if (!running.isEmpty()) {
      fail(running, FailureCause.ofJob(failure), now);
    }
    return finishEvent(now);
  }

  /**
   * The savepoint of a stop is complete: all tasks that have not ended will finish. If one of them
   * fails instead, their regions restart together, also those that have finished by then. Otherwise
   * a part of the job would go on without the rest.
   */
  public void tasksFinish() {
    graph.regions.stream().filter(region -> region.open > 0).forEach(stopped::add);
  }

  /** The JobMaster has lost its leadership: the next leader runs the job. Drops pending actions. */
  public void suspend(ClockReading now) {
    if (status().canBecome(JobStatus.SUSPENDED)) {
      become(JobStatus.SUSPENDED, new LeadershipLost(), now);
    }
    actions.clear();
  }

  /** The region of a task that runs and is not being cancelled; empty for any other task. */
  public OptionalInt regionOf(ExecutionId execution) {
    return attempts
        .latest(execution)
        .map(known -> known.subtask.region)
        .filter(region -> region.phase == Region.Phase.ACTIVE)
        .map(region -> OptionalInt.of(region.id))
        .orElse(OptionalInt.empty());
  }

  public JobDetails details() {
    return progress.details(graph, restarts.used());
  }

  /** The latest attempts of a vertex's subtasks, in order; none if the job has no such vertex. */
  public List<ExecutionId> executionsOf(VertexId vertex) {
    return graph.vertices.stream()
        .filter(subtasks -> subtasks.get(0).vertex.id().equals(vertex))
        .flatMap(List::stream)
        .map(subtask -> subtask.current.id)
        .toList();
  }

  public JobOverview overview() {
    return progress.overview();
  }

  public JobMasterReport report() {
    return progress.report();
  }

  private void updated(Execution execution, TaskUpdate update, ClockReading now) {
    update.counters().ifPresent(execution::counters);
    TaskState state = update.state();
    if (!state.isTerminal()) {
      // Ignores a repeated update, or one that crossed a cancellation.
      if ((state == TaskState.INITIALIZING || state == TaskState.RUNNING)
          && execution.state().canBecome(state)) {
        become(execution, state, now);
      }
      return;
    }
    boolean wasStopped = execution.state() == TaskState.CANCELING;
    switch (state) {
      case FINISHED -> {
        if (execution.state() == TaskState.INITIALIZING) {
          become(execution, TaskState.RUNNING, now);
        }
        become(execution, TaskState.FINISHED, now);
      }
      case CANCELED -> {
        if (wasStopped) {
          become(execution, TaskState.CANCELED, now);
        } else {
          fail(List.of(execution), FailureCause.endedUnasked(execution), now);
        }
      }
      default -> fail(List.of(execution), FailureCause.reported(execution, update), now);
    }
  }

  /**
   * Executions have failed for one cause. A failure in a region that is already stopping costs no
   * restart. The loss of a worker costs one restart, also if it stops regions in several steps.
   */
  private void fail(List<Execution> failed, FailureCause cause, ClockReading now) {
    Failure failure = cause.failure();
    Set<Region> affected = new LinkedHashSet<>();
    boolean restartCounted = false;
    for (Execution execution : failed) {
      Region region = execution.subtask.region;
      if (region.phase == Region.Phase.STOPPING) {
        restartCounted |= cause.workerLost();
      } else {
        affected.add(region);
      }
      if (cause.ended()) {
        become(execution, TaskState.FAILED, now);
      }
    }
    if (affected.isEmpty()) {
      if (restartCounted) {
        lostWhileStopping(cause, now);
      } else if (cause.ended() && failed.size() == 1) {
        progress.failedConcurrently(
            new ConcurrentFailure(
                failure,
                now.wallMillis(),
                failed.get(0).subtask.name(),
                cause.worker(),
                failed.get(0).endpoint()));
      }
      return;
    }
    Execution first = failed.get(0);
    progress.failed(
        new RecordedFailure(
            failure,
            now.wallMillis(),
            failed.size() == 1 ? first.subtask.name() : "",
            cause.worker(),
            cause.worker().isPresent() ? first.endpoint() : "",
            Collections.emptyList()));
    if (status() != JobStatus.RUNNING && status() != JobStatus.RESTARTING) {
      return;
    }
    if (!restartCounted && !restarts.another(failure, now.nanos())) {
      end(failure, restarts.refusal(failure), now);
      return;
    }
    stopped.stream().filter(region -> region.phase != Region.Phase.STOPPING).forEach(affected::add);
    stopped.clear();
    long failover = failovers.begin(affected);
    affected.forEach(region -> stop(region, now));
    actions.add(
        new SchedulerAction.Restart(
            failover,
            restarts.used(),
            restarts.delay(),
            affected.stream().map(region -> region.id).toList(),
            because(failure),
            cause.unusableCheckpoint()));
    if (status() == JobStatus.RUNNING) {
      become(JobStatus.RESTARTING, because(failure), now);
    }
    allRunning = false;
  }

  /** A broken connection between two workers may be noticed before the loss of one of them. */
  private void lostWhileStopping(FailureCause cause, ClockReading now) {
    boolean failing = status() == JobStatus.FAILING;
    if (failing || status() == JobStatus.RESTARTING) {
      progress.failed(new RecordedFailure(cause.failure(), now.wallMillis(), "", cause.worker()));
    }
    if (failing
        && losses.rootCause().filter(root -> root.kind() == ErrorKind.EXTERNAL).isPresent()) {
      losses.follows(cause.failure());
    }
  }

  private void end(Failure failure, Reason reason, ClockReading now) {
    losses.ends(failure);
    become(JobStatus.FAILING, reason, now);
    stopAll(now);
  }

  private void stopAll(ClockReading now) {
    failovers.clear();
    slots.cancelRequests(now.nanos());
    for (Region region : graph.regions) {
      if (region.phase != Region.Phase.STOPPING) {
        stop(region, now);
      }
    }
  }

  /** Cancels the tasks of a region. Tasks that are not deployed end at once. */
  private void stop(Region region, ClockReading now) {
    region.phase = Region.Phase.STOPPING;
    slots.removeReady(region);
    for (Subtask subtask : region.subtasks) {
      Execution execution = subtask.current;
      switch (execution.state()) {
        case CREATED, SCHEDULED -> become(execution, TaskState.CANCELED, now);
        case DEPLOYING, INITIALIZING, RUNNING -> {
          become(execution, TaskState.CANCELING, now);
          cancel(execution.worker().orElseThrow(), execution.id);
        }
        case CANCELING, FINISHED, CANCELED, FAILED -> {}
      }
    }
  }

  private void restartIfStopped(Region region, ClockReading now) {
    if (status() != JobStatus.RESTARTING || !RegionFailovers.mayRestart(region)) {
      return;
    }
    boolean last = failovers.restarts();
    for (Subtask subtask : region.subtasks) {
      attempts.begin(subtask, subtask.current.attempt + 1, now);
    }
    schedule(region, now);
    if (last) {
      become(JobStatus.RUNNING, new JobRestarted(), now);
    }
  }

  /** Requests the slots of a region; slots of the required size that it still holds are kept. */
  private void schedule(Region region, ClockReading now) {
    region.phase = Region.Phase.WAITING;
    region.subtasks.forEach(subtask -> become(subtask.current, TaskState.SCHEDULED, now));
    slots.request(region, now.nanos());
  }

  /** All ready regions are deployed together, with one message per worker. */
  private void deployReady(ClockReading now) {
    List<Region> ready = slots.takeReady();
    if (ready.isEmpty()) {
      return;
    }
    DeploymentPlan plan = new DeploymentPlan(attempts.hosts);
    for (Region region : ready) {
      region.phase = Region.Phase.ACTIVE;
      for (Subtask subtask : region.subtasks) {
        become(subtask.current, TaskState.DEPLOYING, now);
        deploy(subtask.current, subtask.slot.slot.orElseThrow());
      }
      plan.add(region);
    }
    actions.add(plan.deploy(++deployments));
  }

  private void deploy(Execution execution, AllocatedSlot slot) {
    execution.deployInto(slot, attempts.hosts.dataAddress(slot.worker()));
    attempts.hosts.deployed(slot.worker(), execution);
  }

  private void cancel(WorkerId worker, ExecutionId execution) {
    if (attempts.hosts.knows(worker)) {
      actions.cancel(worker, execution);
    }
  }

  private void become(Execution execution, TaskState next, ClockReading now) {
    attempts.become(execution, next, now);
    if (!next.isTerminal()) {
      return;
    }
    Subtask subtask = execution.subtask;
    if (subtask.slot.unfinished == 0) {
      slots.release(subtask.slot, now.nanos());
    }
    restartIfStopped(subtask.region, now);
  }

  private void become(JobStatus next, Reason reason, ClockReading now) {
    JobStatus before = status();
    progress.become(next, now.wallMillis());
    actions.add(new SchedulerAction.StatusChanged(before, next, reason));
  }

  private static JobFailure because(Failure failure) {
    return new JobFailure(failure.kind(), failure.message());
  }

  private List<SchedulerAction> finishEvent(ClockReading now) {
    deployReady(now);
    actions.addCancellations();
    if (!allRunning && status() == JobStatus.RUNNING && progress.allRunning()) {
      allRunning = true;
      actions.add(new SchedulerAction.AllRunning(graph.subtasks.size()));
    }
    switch (status()) {
      case RUNNING -> endIf(attempts.allFinished(), JobStatus.FINISHED, now);
      case CANCELLING -> endIf(attempts.allEnded(), JobStatus.CANCELED, now);
      case FAILING -> endIf(attempts.allEnded() && !losses.isOpen(), JobStatus.FAILED, now);
      default -> {}
    }
    return actions.take();
  }

  private void endIf(boolean over, JobStatus status, ClockReading now) {
    if (over) {
      Optional<Failure> rootCause = losses.rootCause();
      become(status, rootCause.<Reason>map(Scheduler::because).orElse(new TasksEnded()), now);
      actions.add(new SchedulerAction.Ended(progress.result(rootCause, graph)));
    }
  }
}
