package io.millrace.control.scheduler;

import io.millrace.api.JobStatus;
import io.millrace.control.slotpool.Assignment;
import io.millrace.control.slotpool.Slot;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.task.TaskCounters;
import io.millrace.graph.task.TaskState;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Decides for one job: which task goes into which slot, when a region is deployed, what a failure
 * means, when the job has ended. Each method is an event; it returns what is to be done about it.
 *
 * <p>A plain object, confined to the mailbox of its JobMaster. An event costs in proportion to the
 * tasks it is about.
 */
public final class Scheduler {
  private final ExecutionGraph graph;
  private final SlotPool pool;
  private final RandomGenerator random;
  private final Restarts restarts;
  private final JobProgress progress;
  private final Hosts hosts = new Hosts();

  /** The latest execution of every subtask. */
  private final Map<ExecutionId, Execution> executions = new HashMap<>();

  private final Map<Long, List<Region>> failovers = new HashMap<>();
  private long deployments;
  private long failoverNumber;
  private long questions;
  private int stopping;
  private int open;
  private int unfinished;
  private boolean allRunning;
  private Optional<Failure> rootCause = Optional.empty();

  // What the event at hand has led to so far.
  private List<Action> actions = new ArrayList<>();
  private final Set<Region> ready = new LinkedHashSet<>();
  private final Map<WorkerId, List<ExecutionId>> cancels = new LinkedHashMap<>();

  /**
   * @param configuration the job's own, over the cluster's
   * @param firstDeployment deployments are numbered from here on; higher than any number that an
   *     earlier leader of this job may have used
   * @param random draws the ids of executions
   */
  public Scheduler(
      JobGraph job,
      Configuration configuration,
      SlotPool pool,
      long firstDeployment,
      RandomGenerator random,
      Moment now) {
    this.graph = new ExecutionGraph(job);
    this.pool = pool;
    this.deployments = firstDeployment;
    this.random = random;
    this.restarts = new Restarts(configuration);
    this.progress = new JobProgress(job, now.wallMillis());
    this.unfinished = graph.subtasks.size();
    for (Subtask subtask : graph.subtasks) {
      attempt(subtask, 0, now);
    }
    progress.become(JobStatus.CREATED, now.wallMillis());
  }

  public JobStatus status() {
    return progress.status();
  }

  /** Asks for slots; the job runs from here on. */
  public List<Action> start(Moment now) {
    become(JobStatus.RUNNING, "scheduled", now);
    graph.regions.forEach(region -> schedule(region, now));
    return endTurn(now);
  }

  /** A worker from which slots may come. */
  public void workerRegistered(WorkerId worker, String dataAddress) {
    hosts.add(worker, dataAddress);
  }

  /** Slots of a registered worker. Adds the accepted ones to {@code accepted}. */
  public List<Action> offer(
      WorkerId worker, List<SlotOffer> offers, List<AllocationId> accepted, Moment now) {
    if (!hosts.knows(worker)) {
      throw new IllegalStateException("Worker " + worker + " offers slots and is not registered");
    }
    SlotPool.Offered offered = pool.offer(worker, offers, now.nanos());
    accepted.addAll(offered.accepted());
    offered.assignments().forEach(this::assigned);
    return endTurn(now);
  }

  /** A worker is gone with all it had. Costs the job one restart at most. */
  public List<Action> workerLost(WorkerId worker, Failure failure, Moment now) {
    List<Execution> lost = hosts.active(worker);
    hosts.remove(worker);
    pool.workerLost(worker).forEach(this::unassigned);
    pool.serveWaiting().forEach(this::assigned);
    fail(lost, failure, Optional.of(worker), true, now);
    return endTurn(now);
  }

  /** A single slot is gone. */
  public List<Action> slotLost(
      WorkerId worker, AllocationId allocation, Failure failure, Moment now) {
    Optional<Integer> request = pool.slotLost(worker, allocation);
    if (request.isPresent()) {
      List<Execution> lost = new ArrayList<>();
      for (Subtask subtask : graph.slots.get(request.get()).subtasks) {
        hosts.active(worker, subtask.current.id).ifPresent(lost::add);
      }
      unassigned(request.get());
      pool.serveWaiting().forEach(this::assigned);
      // The worker lives: whatever still runs in the slot has to end there too.
      lost.forEach(execution -> cancel(worker, execution.id));
      fail(lost, failure, Optional.of(worker), false, now);
    }
    return endTurn(now);
  }

  /** What a worker says of its tasks. News of executions that are no longer current is ignored. */
  public List<Action> tasksUpdated(WorkerId worker, List<TaskUpdate> updates, Moment now) {
    for (TaskUpdate update : updates) {
      Optional<Execution> known = hosts.active(worker, update.execution());
      if (known.isPresent()) {
        updated(known.get(), update, now);
      } else if (!update.state().isTerminal()) {
        cancel(worker, update.execution());
      }
    }
    return endTurn(now);
  }

  /** A worker has taken its share of a deployment. */
  public void deployed(Action.Share share) {
    share
        .tasks()
        .forEach(
            task ->
                hosts
                    .active(share.worker(), task.task().execution())
                    .ifPresent(execution -> execution.acknowledge(questions)));
  }

  /** A worker has not taken its share of a deployment, or nobody knows whether it has. */
  public List<Action> deploymentFailed(Action.Share share, Failure failure, Moment now) {
    List<Execution> lost = new ArrayList<>();
    share
        .tasks()
        .forEach(
            task -> {
              cancel(share.worker(), task.task().execution());
              hosts.active(share.worker(), task.task().execution()).ifPresent(lost::add);
            });
    fail(lost, failure, Optional.of(share.worker()), false, now);
    return endTurn(now);
  }

  /** A worker is about to be asked for its tasks; the number goes with its answer. */
  public long question() {
    return ++questions;
  }

  /**
   * A worker's answer: tasks that should not be there are cancelled, and those that should be there
   * and are not have failed.
   */
  public List<Action> reconcile(WorkerId worker, long question, TaskReport report, Moment now) {
    Set<ExecutionId> reported = new HashSet<>(report.executions());
    for (ExecutionId execution : report.executions()) {
      Optional<Execution> known = hosts.active(worker, execution);
      if (known.isEmpty() || known.get().state() == TaskState.CANCELING) {
        cancel(worker, execution);
      }
    }
    for (TaskCounters counters : report.counters()) {
      Execution execution = executions.get(counters.execution());
      if (execution != null) {
        execution.counters(counters);
      }
    }
    List<Execution> missing = new ArrayList<>();
    for (Execution execution : hosts.active(worker)) {
      if (execution.wasDeployedBefore(question) && !reported.contains(execution.id)) {
        missing.add(execution);
      }
    }
    Failure failure =
        Failure.of(
            ErrorKind.EXTERNAL,
            "TaskManager "
                + worker
                + " no longer has "
                + missing.size()
                + " tasks deployed to it.");
    fail(missing, failure, Optional.of(worker), false, now);
    return endTurn(now);
  }

  /** The pause of a restart is over. */
  public List<Action> restartDue(long failover, Moment now) {
    List<Region> regions = failovers.remove(failover);
    if (regions != null && status() == JobStatus.RESTARTING) {
      for (Region region : regions) {
        if (region.phase == Region.Phase.STOPPING && region.failover == failover) {
          region.delayOver = true;
          restartIfStopped(region, now);
        }
      }
    }
    return endTurn(now);
  }

  /** The user wants the job to end. Ignored where it is ending already. */
  public List<Action> cancel(Moment now) {
    if (status().canBecome(JobStatus.CANCELLING)) {
      become(JobStatus.CANCELLING, "cancelled by the user", now);
      stopAll(now);
    }
    return endTurn(now);
  }

  /** The job as a whole cannot go on, whatever its restart strategy. */
  public List<Action> fail(Failure failure, Moment now) {
    if (status().canBecome(JobStatus.FAILING)) {
      progress.failed(new RecordedFailure(failure, now.wallMillis(), "", Optional.empty()));
      end(failure, failure.message(), now);
    }
    return endTurn(now);
  }

  /** Leadership is lost: somebody else may run the job from now on, and nothing is to be done. */
  public void suspend(Moment now) {
    if (status().canBecome(JobStatus.SUSPENDED)) {
      become(JobStatus.SUSPENDED, "leadership lost", now);
    }
    actions.clear();
  }

  /** The region of a task that runs now and is to go on, nothing for any other. */
  public OptionalInt regionOf(ExecutionId execution) {
    Execution known = executions.get(execution);
    return known == null || known.subtask.region.phase != Region.Phase.ACTIVE
        ? OptionalInt.empty()
        : OptionalInt.of(known.subtask.region.id);
  }

  public JobDetails details(Optional<String> waitingFor) {
    return progress.details(graph, restarts.used(), waitingFor);
  }

  public JobOverview overview(Optional<String> waitingFor) {
    return progress.overview(waitingFor);
  }

  private void updated(Execution execution, TaskUpdate update, Moment now) {
    TaskState state = update.state();
    if (!state.isTerminal()) {
      // A repeated update, or one that crossed our cancellation.
      if ((state == TaskState.INITIALIZING || state == TaskState.RUNNING)
          && state.ordinal() > execution.state().ordinal()) {
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
          Failure failure =
              Failure.of(
                  ErrorKind.EXTERNAL,
                  "Task "
                      + execution.subtask.name()
                      + " was ended by its TaskManager, which nobody had asked it to do.");
          fail(List.of(execution), failure, execution.worker(), false, now);
        }
      }
      default -> {
        Failure failure =
            update
                .failure()
                .orElseGet(
                    () -> Failure.of(ErrorKind.BUG, "The task failed and gave no reason for it."));
        fail(List.of(execution), failure, execution.worker(), false, now);
      }
    }
  }

  /**
   * Executions have failed for one reason. What belongs to a region that is being stopped anyway
   * costs nothing more, and neither does the loss of a worker that has already stopped one region
   * when it is noticed to have hit others, too.
   */
  private void fail(
      List<Execution> failed,
      Failure failure,
      Optional<WorkerId> worker,
      boolean lostWorker,
      Moment now) {
    Set<Region> hit = new LinkedHashSet<>();
    boolean joins = false;
    for (Execution execution : failed) {
      Region region = execution.subtask.region;
      if (region.phase == Region.Phase.STOPPING) {
        joins |= lostWorker;
      } else {
        hit.add(region);
      }
      become(execution, TaskState.FAILED, now);
    }
    if (hit.isEmpty()) {
      return;
    }
    Subtask first = failed.get(0).subtask;
    progress.failed(
        new RecordedFailure(
            failure, now.wallMillis(), failed.size() == 1 ? first.name() : "", worker));
    if (status() != JobStatus.RUNNING && status() != JobStatus.RESTARTING) {
      return;
    }
    if (!joins && !restarts.another()) {
      end(failure, failure.message() + " No restart: " + restarts.refusal() + ".", now);
      return;
    }
    long failover = ++failoverNumber;
    for (Region region : hit) {
      region.failover = failover;
      region.delayOver = false;
      stopping++;
      stop(region, now);
    }
    failovers.put(failover, new ArrayList<>(hit));
    actions.add(
        new Action.Restart(
            failover,
            restarts.used(),
            restarts.delay(),
            hit.stream().map(region -> region.id).toList(),
            failure.message()));
    if (status() == JobStatus.RUNNING) {
      become(JobStatus.RESTARTING, failure.message(), now);
    }
    allRunning = false;
  }

  private void end(Failure failure, String reason, Moment now) {
    rootCause = Optional.of(failure);
    become(JobStatus.FAILING, reason, now);
    stopAll(now);
  }

  private void stopAll(Moment now) {
    failovers.clear();
    ready.clear();
    for (Region region : graph.regions) {
      if (region.phase != Region.Phase.STOPPING) {
        stop(region, now);
      }
    }
  }

  /** Ends the tasks of a region: those that were never deployed at once. */
  private void stop(Region region, Moment now) {
    region.phase = Region.Phase.STOPPING;
    ready.remove(region);
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

  private void restartIfStopped(Region region, Moment now) {
    if (status() != JobStatus.RESTARTING
        || region.phase != Region.Phase.STOPPING
        || region.open > 0
        || !region.delayOver) {
      return;
    }
    stopping--;
    for (Subtask subtask : region.subtasks) {
      Execution before = subtask.current;
      if (before.state() == TaskState.FINISHED) {
        unfinished++;
        subtask.slot.unfinished++;
      }
      executions.remove(before.id);
      progress.forget(before.state());
      attempt(subtask, before.attempt + 1, now);
    }
    schedule(region, now);
    if (stopping == 0) {
      become(JobStatus.RUNNING, "restarted", now);
    }
  }

  private void attempt(Subtask subtask, int number, Moment now) {
    Execution execution =
        new Execution(subtask, ExecutionId.random(random), number, now.wallMillis());
    subtask.current = execution;
    executions.put(execution.id, execution);
    subtask.region.open++;
    open++;
    progress.count(TaskState.CREATED);
  }

  /** Waits for the slots of a region, holding on to those that are there. */
  private void schedule(Region region, Moment now) {
    region.phase = Region.Phase.WAITING;
    region.subtasks.forEach(subtask -> become(subtask.current, TaskState.SCHEDULED, now));
    region.missing = 0;
    for (SharedSlot slot : region.slots) {
      if (slot.slot.isEmpty()) {
        region.missing++;
      }
    }
    if (region.missing == 0) {
      ready.add(region);
    }
    for (SharedSlot slot : region.slots) {
      if (!slot.requested) {
        slot.requested = true;
        pool.request(slot.id, slot.profile).ifPresent(this::assigned);
      }
    }
  }

  private void assigned(Assignment assignment) {
    SharedSlot slot = graph.slots.get(assignment.request());
    slot.slot = Optional.of(assignment.slot());
    for (Region region : slot.regions) {
      if (region.phase == Region.Phase.WAITING && --region.missing == 0) {
        ready.add(region);
      }
    }
  }

  private void unassigned(int request) {
    SharedSlot slot = graph.slots.get(request);
    slot.slot = Optional.empty();
    for (Region region : slot.regions) {
      if (region.phase == Region.Phase.WAITING) {
        region.missing++;
        ready.remove(region);
      }
    }
  }

  /** All regions that can go now go together: one table, one message to each worker. */
  private void deployReady(Moment now) {
    if (ready.isEmpty()) {
      return;
    }
    DeploymentPlan plan = new DeploymentPlan(graph, hosts);
    for (Region region : ready) {
      region.phase = Region.Phase.ACTIVE;
      for (Subtask subtask : region.subtasks) {
        Slot slot = subtask.slot.slot.orElseThrow();
        Execution execution = subtask.current;
        become(execution, TaskState.DEPLOYING, now);
        execution.deployInto(slot);
        hosts.deployed(slot.worker(), execution);
        plan.add(execution, slot);
      }
    }
    ready.clear();
    actions.add(plan.deploy(++deployments));
  }

  private void cancel(WorkerId worker, ExecutionId execution) {
    if (hosts.knows(worker)) {
      cancels.computeIfAbsent(worker, x -> new ArrayList<>()).add(execution);
    }
  }

  private void become(Execution execution, TaskState next, Moment now) {
    TaskState before = execution.state();
    execution.become(next, now.wallMillis());
    progress.forget(before);
    progress.count(next);
    if (!next.isTerminal()) {
      return;
    }
    hosts.ended(execution);
    Subtask subtask = execution.subtask;
    subtask.region.open--;
    open--;
    if (next == TaskState.FINISHED) {
      unfinished--;
      if (--subtask.slot.unfinished == 0) {
        giveUp(subtask.slot, now);
      }
    }
    restartIfStopped(subtask.region, now);
  }

  private void giveUp(SharedSlot slot, Moment now) {
    slot.requested = false;
    slot.slot = Optional.empty();
    pool.release(slot.id, now.nanos()).forEach(this::assigned);
  }

  private void become(JobStatus next, String reason, Moment now) {
    JobStatus before = status();
    progress.become(next, now.wallMillis());
    actions.add(new Action.StatusChanged(before, next, reason));
  }

  private List<Action> endTurn(Moment now) {
    deployReady(now);
    cancels.forEach((worker, ids) -> actions.add(new Action.Cancel(worker, ids)));
    cancels.clear();
    if (!allRunning && status() == JobStatus.RUNNING && progress.allRunning()) {
      allRunning = true;
      actions.add(new Action.AllRunning(graph.subtasks.size()));
    }
    switch (status()) {
      case RUNNING -> endIf(unfinished == 0, JobStatus.FINISHED, now);
      case CANCELLING -> endIf(open == 0, JobStatus.CANCELED, now);
      case FAILING -> endIf(open == 0, JobStatus.FAILED, now);
      default -> {}
    }
    List<Action> done = actions;
    actions = new ArrayList<>();
    return done;
  }

  private void endIf(boolean over, JobStatus status, Moment now) {
    if (over) {
      become(status, rootCause.map(Failure::message).orElse("all tasks have ended"), now);
      actions.add(new Action.Ended(progress.result(rootCause)));
    }
  }

  /** For tests: the shared slots that have one, each once. */
  Collection<Slot> slotsInUse() {
    List<Slot> used = new ArrayList<>();
    graph.slots.forEach(slot -> slot.slot.ifPresent(used::add));
    return used;
  }
}
