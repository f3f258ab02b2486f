package io.millrace.worker.taskexecutor;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobMasterGateway.BacklogNotice;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice.AwaitsCheckpoint;
import io.millrace.protocol.JobMasterGateway.CollectedPart;
import io.millrace.protocol.JobMasterGateway.KeptTask;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.PlacementTable;
import io.millrace.protocol.TaskManagerGateway.AdoptTasks;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.task.Deployment;
import io.millrace.task.Placement;
import io.millrace.task.SlotResources;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.worker.slots.SlotTable;
import io.millrace.worker.task.JobCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks of one job on this worker, and its code. */
final class JobTasks implements PendingDeployments.Recipient {
  private static final Logger LOG = LoggerFactory.getLogger(JobTasks.class);

  private final TaskExecutorContext worker;
  private final JobId job;
  private final SlotTable slots;
  private final Consumer<AllocationId> emptied;
  private final Map<ExecutionId, HostedTask> live = new LinkedHashMap<>();
  private final Map<AllocationId, Map<ExecutionId, HostedTask>> bySlot = new LinkedHashMap<>();
  private final EndedTasks ended = new EndedTasks();
  private final PendingDeployments deployments;
  private final CancellationWatchdog watchdog;
  private final CheckpointSnapshots snapshots;

  /**
   * @param emptied called for each slot whose last task has ended
   */
  JobTasks(TaskExecutorContext worker, JobId job, SlotTable slots, Consumer<AllocationId> emptied) {
    this.worker = worker;
    this.job = job;
    this.slots = slots;
    this.emptied = emptied;
    this.deployments = new PendingDeployments(worker, job, this);
    this.watchdog =
        new CancellationWatchdog(
            worker,
            job,
            deployments::graphs,
            execution -> Optional.ofNullable(live.get(execution)));
    this.snapshots = new CheckpointSnapshots(worker);
  }

  /**
   * Completes when the tasks are handed over to the task host. Cancellations apply from this call
   * on.
   */
  CompletableFuture<Acknowledge> deploy(DeployTasks request, JobMasterSession session) {
    ended.forgetFailures();
    List<HostedTask> tasks = new ArrayList<>();
    for (TaskInSlot deployed : request.tasks()) {
      ExecutionId execution = deployed.task().execution();
      if (!live.containsKey(execution) && !ended.contains(execution)) {
        HostedTask task = new HostedTask(deployed, request.restore(), session);
        tasks.add(task);
        live.put(execution, task);
        bySlot.computeIfAbsent(task.slot, x -> new LinkedHashMap<>()).put(execution, task);
      }
    }
    PendingDeployment pending = new PendingDeployment(request, tasks, session);
    deployments.add(pending);
    return pending.answer;
  }

  /** Takes a checkpoint; the snapshots go to the JobMaster of the session. */
  void triggerCheckpoint(TriggerCheckpoint request, JobMasterSession session) {
    if (snapshots.expect(request, session)) {
      worker.host().triggerCheckpoint(job, request.request(), request.sources());
      request.tasks().stream()
          .filter(task -> !live.containsKey(task))
          .toList()
          .forEach(snapshots::ended);
    }
  }

  void checkpointCompleted(long checkpoint) {
    snapshots.completed(checkpoint);
    worker.host().checkpointCompleted(job, checkpoint);
  }

  void checkpointAborted(long checkpoint) {
    snapshots.aborted(checkpoint);
    worker.host().checkpointAborted(job, checkpoint);
  }

  void cancel(Collection<ExecutionId> executions) {
    List<HostedTask> tasks = new ArrayList<>();
    for (ExecutionId execution : executions) {
      HostedTask task = live.get(execution);
      if (task != null) {
        tasks.add(task);
      }
    }
    cancelAll(tasks);
  }

  void cancelIn(AllocationId slot) {
    cancelAll(new ArrayList<>(bySlot.getOrDefault(slot, new LinkedHashMap<>()).values()));
  }

  void cancelAll() {
    cancelAll(new ArrayList<>(live.values()));
  }

  // --- tasks without a leader

  /**
   * The leader is lost: its tasks run on for the next one. Those that have not started end, and so
   * do those whose records for the client were lost with the leader. Returns the number of the
   * others.
   */
  int keep() {
    cancelAll(live.values().stream().filter(task -> !task.handedOver || task.collects).toList());
    return (int) live.values().stream().filter(HostedTask::isKept).count();
  }

  /** Cancels the tasks that were kept. Returns their number. */
  int cancelKept() {
    return cancelKept(task -> true);
  }

  /** Cancels the kept tasks of a leader that was lost and found again: it takes them for ended. */
  void cancelKeptOf(LeaderToken leader) {
    cancelKept(task -> task.session.leader().token().equals(leader));
  }

  private int cancelKept(Predicate<HostedTask> which) {
    List<HostedTask> kept =
        live.values().stream().filter(HostedTask::isKept).filter(which).toList();
    cancelAll(kept);
    return kept.size();
  }

  /** What the next leader may adopt: tasks without a leader, and how others have ended. */
  List<KeptTask> kept() {
    List<KeptTask> kept = new ArrayList<>(ended.kept());
    live.forEach(
        (execution, task) -> {
          if (task.isKept()) {
            kept.add(new KeptTask(execution, task.slot, task.state));
          }
        });
    return kept;
  }

  /**
   * Puts kept tasks under a new leader and cancels the others. Repeating it has no effect.
   *
   * @return the number of cancelled tasks
   */
  int adopt(AdoptTasks request, JobMasterSession session) {
    Set<ExecutionId> adopted = new LinkedHashSet<>(request.executions());
    List<ExecutionId> missing =
        adopted.stream().filter(execution -> !canAdopt(execution, session)).toList();
    if (!missing.isEmpty()) {
      cancelKept();
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          missing.size()
              + " of "
              + adopted.size()
              + " tasks of job "
              + job
              + " that its new leader adopts do not run on "
              + workerName()
              + " any more. None was adopted.");
    }
    // Before they hear of a checkpoint: what they have prepared belongs to no checkpoint.
    int cancelled = cancelKept(task -> !adopted.contains(task.spec.execution()));
    if (!adopted.isEmpty()) {
      checkpointsOver(request.checkpoints());
    }
    adopted.forEach(execution -> adopt(execution, session));
    ended.adopted(adopted);
    return cancelled;
  }

  private boolean canAdopt(ExecutionId execution, JobMasterSession session) {
    HostedTask task = live.get(execution);
    return task == null
        ? ended.last(execution).isPresent()
        : task.isKept() || task.session == session;
  }

  /** The outcomes of the checkpoints of earlier leaders are decided. Barriers may still come. */
  private void checkpointsOver(CheckpointOutcomes outcomes) {
    if (outcomes.completed() > 0) {
      checkpointCompleted(outcomes.completed());
      // The notice of an earlier one may have been lost with the leader that gave it up.
      worker.host().earlierCheckpointsAborted(job, outcomes.completed());
    }
    for (long number = outcomes.completed() + 1; number <= outcomes.last(); number++) {
      checkpointAborted(number);
    }
  }

  private void adopt(ExecutionId execution, JobMasterSession session) {
    HostedTask task = live.get(execution);
    if (task == null) {
      session.updates().add(ended.last(execution).orElseThrow());
      return;
    }
    if (task.session == session) {
      return;
    }
    task.session = session;
    slots.activate(task.slot);
    if (task.state != TaskState.DEPLOYING) {
      TaskUpdate now = TaskUpdate.of(execution, task.state);
      session.updates().add(task.awaitsCheckpoint ? now.with(new AwaitsCheckpoint()) : now);
    }
    if (task.backlog) {
      sendBacklog(task);
    }
  }

  /** The session of the leader of a task; empty if it has none or has ended. */
  Optional<JobMasterSession> sessionOf(ExecutionId execution) {
    return Optional.ofNullable(live.get(execution))
        .map(task -> task.session)
        .filter(JobMasterSession::isOpen);
  }

  void backlogChanged(ExecutionId execution, boolean backlog) {
    HostedTask task = live.get(execution);
    if (task != null) {
      task.backlog = backlog;
      sendBacklog(task);
    }
  }

  private void sendBacklog(HostedTask task) {
    if (task.session.isOpen()) {
      task.session
          .gateway()
          .backlogChanged(new BacklogNotice(worker.id(), task.spec.execution(), task.backlog));
    }
  }

  boolean isEmpty(AllocationId slot) {
    return !bySlot.containsKey(slot);
  }

  /** Whether tasks of another session are still in the slot. */
  boolean hasOthersIn(AllocationId slot, JobMasterSession session) {
    return bySlot.getOrDefault(slot, new LinkedHashMap<>()).values().stream()
        .anyMatch(task -> task.session != session);
  }

  boolean isEmpty() {
    return live.isEmpty();
  }

  /** The executions of a session that are not reported as ended. */
  List<ExecutionId> executionsOf(JobMasterSession session) {
    List<ExecutionId> executions = new ArrayList<>(session.updates().ended());
    live.forEach(
        (execution, task) -> {
          if (task.session == session) {
            executions.add(execution);
          }
        });
    return executions;
  }

  /** Releases the code. No task may be left. */
  void releaseCode() {
    if (!live.isEmpty()) {
      throw new IllegalStateException("Job " + job + " still has " + live.size() + " tasks here");
    }
    watchdog.close();
    if (deployments.isEmpty()) {
      return;
    }
    worker.host().release(job);
    deployments.close(
        new MillraceException(
            ErrorKind.EXTERNAL, "Job " + job + " was removed from " + workerName()));
    LOG.info("Job {} released its code on {}", job, workerName());
  }

  /** Fails the call and reports the tasks as failed, because the caller may no longer wait. */
  @Override
  public void reject(PendingDeployment pending, Throwable cause) {
    LOG.warn("{} tasks of job {} cannot be deployed", pending.tasks.size(), job, cause);
    Failure failure = Failure.of(cause, ErrorKind.EXTERNAL);
    Failure withoutStack = new Failure(failure.kind(), failure.type(), failure.message(), "");
    pending.answer.completeExceptionally(cause);
    for (HostedTask task : pending.tasks) {
      end(task, task.failed(withoutStack));
    }
  }

  @Override
  public void handOver(PendingDeployment pending, JobCode.Loaded code) {
    if (!pending.session.isOpen()) {
      // Its tasks were cancelled with the session: the call must not succeed.
      pending.answer.completeExceptionally(
          new MillraceException(
              ErrorKind.EXTERNAL,
              "Worker "
                  + worker.id()
                  + " is no longer registered at this leader of job "
                  + job
                  + "; the registration ended while the code of the job was loading. None of the deployment's tasks was"
                  + " started."));
      return;
    }
    List<TaskSpec> specs = new ArrayList<>();
    Map<ExecutionId, SlotResources> resources = new LinkedHashMap<>();
    for (HostedTask task : pending.tasks) {
      // Tasks that were cancelled while the code was loading are no longer there.
      if (live.get(task.spec.execution()) == task) {
        task.handedOver = true;
        specs.add(task.spec);
        resources.put(task.spec.execution(), slots.resources(task.slot));
      }
    }
    if (!specs.isEmpty()) {
      LOG.info("Job {} deploys {} tasks on {}", job, specs.size(), workerName());
      try {
        start(pending, specs, resources, code);
      } catch (RuntimeException | LinkageError e) {
        reject(pending, e);
        return;
      }
    }
    pending.answer.complete(Acknowledge.INSTANCE);
  }

  private void start(
      PendingDeployment pending,
      List<TaskSpec> specs,
      Map<ExecutionId, SlotResources> resources,
      JobCode.Loaded code) {
    DeployTasks request = pending.request;
    Placement placement =
        Placement.merged(request.placement().stream().map(PlacementTable::open).toList());
    worker
        .host()
        .deploy(
            new Deployment(
                code.graph(),
                request.number(),
                specs,
                placement,
                resources,
                pending
                    .state
                    .map(state -> restores(state, specs, code))
                    .orElseGet(LinkedHashMap::new),
                code.files()),
            code.classes(),
            new TaskEventForwarder(worker, this, snapshots));
  }

  private static Map<ExecutionId, TaskRestore> restores(
      StateAssignment state, List<TaskSpec> specs, JobCode.Loaded code) {
    Map<ExecutionId, TaskRestore> restores = new LinkedHashMap<>();
    for (TaskSpec spec : specs) {
      state
          .of(code.graph(), code.graph().vertex(spec.vertex()), spec.subtask())
          .ifPresent(restore -> restores.put(spec.execution(), restore));
    }
    return restores;
  }

  private void cancelAll(List<HostedTask> tasks) {
    List<ExecutionId> cancelled = new ArrayList<>();
    for (HostedTask task : tasks) {
      if (!task.handedOver) {
        end(task, TaskUpdate.of(task.spec.execution(), TaskState.CANCELED));
      } else if (!task.cancelling) {
        task.cancelling = true;
        cancelled.add(task.spec.execution());
        worker.host().cancel(task.spec.execution());
      }
    }
    watchdog.cancelled(cancelled);
  }

  private void end(HostedTask task, TaskUpdate last) {
    ExecutionId execution = task.spec.execution();
    if (!live.remove(execution, task)) {
      return;
    }
    task.watchdog.ifPresent(Mailbox.Timer::cancel);
    snapshots.ended(execution);
    TaskUpdate counted = task.counters.map(last::with).orElse(last);
    if (task.session.keepsTasks() && !task.collects) {
      ended.add(task.slot, counted);
    } else {
      ended.add(execution);
    }
    task.session.updates().add(counted);
    Map<ExecutionId, HostedTask> inSlot = bySlot.get(task.slot);
    inSlot.remove(execution);
    if (inSlot.isEmpty()) {
      bySlot.remove(task.slot);
      emptied.accept(task.slot);
    }
  }

  void failing(ExecutionId execution) {
    HostedTask task = live.get(execution);
    if (task != null) {
      watchdog.failing(task);
    }
  }

  void changed(TaskUpdate update) {
    HostedTask task = live.get(update.execution());
    if (task == null) {
      return;
    }
    if (!update.state().isTerminal()) {
      task.state = update.state();
      task.awaitsCheckpoint |= update.awaitsCheckpoint();
      task.session.updates().add(update);
    } else if (update.state() == TaskState.CANCELED && task.failure.isPresent()) {
      end(task, TaskUpdate.failed(update.execution(), task.failure.get()));
    } else if (update.state() == TaskState.FAILED && update.failure().isPresent()) {
      end(task, task.failed(update.failure().get()));
    } else {
      end(task, update);
    }
  }

  void counted(TaskCounters last) {
    HostedTask task = live.get(last.execution());
    if (task != null) {
      task.counters = Optional.of(last);
    }
  }

  void collected(CollectedPart part, Runnable accepted) {
    HostedTask task = live.get(part.execution());
    if (task == null) {
      return;
    }
    task.collects = true;
    if (!task.session.isOpen()) {
      // Nobody takes the records, and the next leader does not have those before.
      cancelAll(List.of(task));
      return;
    }
    worker.then(
        task.session.withoutTimeout().collect(part),
        (acknowledged, failure) -> {
          if (failure == null) {
            accepted.run();
          } else {
            resultLost(part, failure);
          }
        });
  }

  /** It is unknown whether the records arrived, so the task cannot continue. */
  private void resultLost(CollectedPart part, Throwable failure) {
    HostedTask task = live.get(part.execution());
    if (task != null) {
      String cause = Failure.sentence(Failure.unwrap(failure));
      task.failure =
          Optional.of(
              Failure.of(
                  ErrorKind.EXTERNAL,
                  "Records of result '" + part.name() + "' did not reach the JobMaster: " + cause));
      cancelAll(List.of(task));
    }
  }

  private String workerName() {
    return "worker " + worker.id();
  }
}
