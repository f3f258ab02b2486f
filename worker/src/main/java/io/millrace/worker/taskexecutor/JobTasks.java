package io.millrace.worker.taskexecutor;

import io.millrace.core.Bytes;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.JobMasterGateway.BacklogNotice;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice.AwaitsCheckpoint;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice.RestoredStateUnusable;
import io.millrace.protocol.JobMasterGateway.CollectedPart;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.WatermarkReport;
import io.millrace.protocol.PlacementTable;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.reason.JobReason.TaskNotEnded;
import io.millrace.protocol.text.ReasonException;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Mailbox;
import io.millrace.task.Deployment;
import io.millrace.task.Placement;
import io.millrace.task.SlotResources;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.TaskSnapshot;
import io.millrace.task.checkpoint.UnusableStateException;
import io.millrace.worker.slots.SlotTable;
import io.millrace.worker.task.JobCode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks of one job on this worker, and its code. */
final class JobTasks {
  private static final Logger LOG = LoggerFactory.getLogger(JobTasks.class);

  /**
   * The number of ended executions that are remembered: a repeated deployment does not start them
   * again.
   */
  private static final int MAX_REMEMBERED = 20_000;

  private final TaskExecutorContext worker;
  private final JobId job;
  private final SlotTable slots;
  private final Consumer<AllocationId> emptied;
  private final Map<ExecutionId, Task> live = new LinkedHashMap<>();
  private final Map<AllocationId, Map<ExecutionId, Task>> bySlot = new LinkedHashMap<>();
  private final Set<ExecutionId> ended = new LinkedHashSet<>();
  private final Map<BlobKey, Program> programs = new LinkedHashMap<>();
  private final List<Mailbox.Timer> watchdogs = new ArrayList<>();
  private final CheckpointSnapshots snapshots;

  private static final class Task {
    private final TaskSpec spec;
    private final AllocationId slot;
    private final Optional<RestoredCheckpoint> restored;
    private final JobMasterSession session;
    private boolean handedOver;
    private boolean cancelling;

    /** Ends the process if the task has failed and does not end. */
    private Optional<Mailbox.Timer> watchdog = Optional.empty();

    /** Why it is cancelled, if not by its JobMaster: it is then reported as failed. */
    private Optional<Failure> failure = Optional.empty();

    private Optional<TaskCounters> counters = Optional.empty();

    Task(TaskInSlot deployed, Optional<RestoredCheckpoint> restored, JobMasterSession session) {
      this.spec = deployed.task();
      this.slot = deployed.slot();
      this.restored = restored;
      this.session = session;
    }

    /** The update of a failed task; names the checkpoint whose state it cannot use. */
    TaskUpdate failed(Failure cause) {
      TaskUpdate update = TaskUpdate.failed(spec.execution(), cause);
      return restored.isPresent() && UnusableStateException.caused(cause)
          ? update.with(new RestoredStateUnusable(restored.get().number()))
          : update;
    }
  }

  /** Code that is being loaded or is loaded, with the deployments that wait for it, in order. */
  private static final class Program {
    private final JobCode code;
    private final Deque<PendingDeployment> pending = new ArrayDeque<>();
    private Optional<JobCode.Loaded> loaded = Optional.empty();

    Program(JobCode code) {
      this.code = code;
    }
  }

  /** A deployment that waits for the code of the job and for the metadata of its state. */
  private static final class PendingDeployment {
    private final DeployTasks request;
    private final List<Task> tasks;
    private final JobMasterSession session;
    private final CompletableFuture<Acknowledge> answer = new CompletableFuture<>();

    /** The state that the tasks start with; empty if they start without or while it is read. */
    private Optional<StateAssignment> state = Optional.empty();

    private Optional<Throwable> unreadable = Optional.empty();

    PendingDeployment(DeployTasks request, List<Task> tasks, JobMasterSession session) {
      this.request = request;
      this.tasks = tasks;
      this.session = session;
    }

    boolean isReady() {
      return request.restore().isEmpty() || state.isPresent() || unreadable.isPresent();
    }
  }

  /**
   * @param emptied called for each slot whose last task has ended
   */
  JobTasks(TaskExecutorContext worker, JobId job, SlotTable slots, Consumer<AllocationId> emptied) {
    this.worker = worker;
    this.job = job;
    this.slots = slots;
    this.emptied = emptied;
    this.snapshots = new CheckpointSnapshots(worker);
  }

  /**
   * Completes when the tasks are handed over to the task host. Cancellations apply from this call
   * on.
   */
  CompletableFuture<Acknowledge> deploy(DeployTasks request, JobMasterSession session) {
    List<Task> tasks = new ArrayList<>();
    for (TaskInSlot deployed : request.tasks()) {
      ExecutionId execution = deployed.task().execution();
      if (!live.containsKey(execution) && !ended.contains(execution)) {
        Task task = new Task(deployed, request.restore(), session);
        tasks.add(task);
        live.put(execution, task);
        bySlot.computeIfAbsent(task.slot, x -> new LinkedHashMap<>()).put(execution, task);
      }
    }
    PendingDeployment pending = new PendingDeployment(request, tasks, session);
    Program known = programs.get(request.graph());
    Program program = known == null ? load(request.graph()) : known;
    program.pending.add(pending);
    request.restore().ifPresent(checkpoint -> readState(program, pending, checkpoint));
    handOver(program);
    return pending.answer;
  }

  private void readState(
      Program program, PendingDeployment pending, RestoredCheckpoint checkpoint) {
    worker.then(
        worker
            .rpc()
            .env()
            .io()
            .call(
                worker.mailbox(),
                () ->
                    new StateAssignment(
                        worker.checkpoints().readMetadata(checkpoint.directory()).metadata(),
                        checkpoint.directory(),
                        checkpoint.sharedDirectory())),
        (state, failure) -> {
          pending.state = Optional.ofNullable(state);
          pending.unreadable = Optional.ofNullable(failure).map(Failure::unwrap);
          handOver(program);
        });
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
    snapshots.forget(checkpoint);
    worker.host().checkpointCompleted(job, checkpoint);
  }

  void checkpointAborted(long checkpoint) {
    snapshots.forget(checkpoint);
    worker.host().checkpointAborted(job, checkpoint);
  }

  void cancel(Collection<ExecutionId> executions) {
    List<Task> tasks = new ArrayList<>();
    for (ExecutionId execution : executions) {
      Task task = live.get(execution);
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
    watchdogs.forEach(Mailbox.Timer::cancel);
    watchdogs.clear();
    if (programs.isEmpty()) {
      return;
    }
    worker.host().release(job);
    for (Program program : new ArrayList<>(programs.values())) {
      rejectPending(
          program,
          new MillraceException(
              ErrorKind.EXTERNAL, "Job " + job + " was removed from " + workerName()));
      program.code.close();
    }
    programs.clear();
    LOG.info("Job {} released its code on {}", job, workerName());
  }

  private Program load(BlobKey graph) {
    Program program =
        new Program(
            new JobCode(
                worker.rpc().env(),
                worker.mailbox(),
                worker.blobs(),
                worker.settings().classes(),
                job,
                graph));
    programs.put(graph, program);
    worker.then(
        program.code.loaded(),
        (loaded, failure) -> {
          if (programs.get(graph) != program) {
            return;
          }
          if (failure == null) {
            program.loaded = Optional.of(loaded);
            handOver(program);
          } else {
            // Removed, so that the next deployment loads it again.
            programs.remove(graph);
            program.code.close();
            rejectPending(program, Failure.unwrap(failure));
          }
        });
    return program;
  }

  private void rejectPending(Program program, Throwable cause) {
    while (!program.pending.isEmpty()) {
      reject(program.pending.remove(), cause);
    }
  }

  /** Fails the call and reports the tasks as failed, because the caller may no longer wait. */
  private void reject(PendingDeployment pending, Throwable cause) {
    LOG.warn("{} tasks of job {} cannot be deployed", pending.tasks.size(), job, cause);
    Failure failure = Failure.of(cause, ErrorKind.EXTERNAL);
    Failure withoutStack = new Failure(failure.kind(), failure.type(), failure.message(), "");
    pending.answer.completeExceptionally(cause);
    for (Task task : pending.tasks) {
      end(task, task.failed(withoutStack));
    }
  }

  private void handOver(Program program) {
    while (program.loaded.isPresent()
        && !program.pending.isEmpty()
        && program.pending.peek().isReady()) {
      PendingDeployment next = program.pending.remove();
      if (next.unreadable.isPresent()) {
        reject(next, next.unreadable.get());
      } else {
        handOver(next, program.loaded.get());
      }
    }
  }

  private void handOver(PendingDeployment pending, JobCode.Loaded code) {
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
    for (Task task : pending.tasks) {
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
                    .orElseGet(LinkedHashMap::new)),
            code.classes(),
            new Listener(pending.session));
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

  private void cancelAll(List<Task> tasks) {
    List<ExecutionId> cancelled = new ArrayList<>();
    for (Task task : tasks) {
      if (!task.handedOver) {
        end(task, TaskUpdate.of(task.spec.execution(), TaskState.CANCELED));
      } else if (!task.cancelling) {
        task.cancelling = true;
        cancelled.add(task.spec.execution());
        worker.host().cancel(task.spec.execution());
      }
    }
    Duration timeout = cancellationTimeout();
    if (!cancelled.isEmpty() && !timeout.isNegative() && !timeout.isZero()) {
      watchdogs.add(worker.mailbox().after(timeout, () -> checkEnded(cancelled, timeout, false)));
    }
  }

  /** A failed task is not cancelled, so the time-out of its user code starts here. */
  private void failing(ExecutionId execution) {
    Task task = live.get(execution);
    Duration timeout = cancellationTimeout();
    if (task != null && task.watchdog.isEmpty() && !timeout.isNegative() && !timeout.isZero()) {
      task.watchdog =
          Optional.of(
              worker.mailbox().after(timeout, () -> checkEnded(List.of(execution), timeout, true)));
    }
  }

  /** The time-out of the job, or that of the worker if the job sets none. */
  private Duration cancellationTimeout() {
    return programs.values().stream()
        .flatMap(program -> program.loaded.stream())
        .map(loaded -> loaded.graph().configuration())
        .filter(
            configuration -> configuration.contains(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT))
        .map(configuration -> configuration.get(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT))
        .findFirst()
        .orElse(worker.settings().cancellationTimeout());
  }

  /**
   * @param failed whether the tasks have failed; otherwise they were cancelled
   */
  private void checkEnded(List<ExecutionId> executions, Duration timeout, boolean failed) {
    for (ExecutionId execution : executions) {
      Task task = live.get(execution);
      if (task != null) {
        worker.fatal().accept(notEnded(task, timeout, failed));
        return;
      }
    }
  }

  private MillraceException notEnded(Task task, Duration timeout, boolean failed) {
    Optional<String> line = worker.host().whereabouts(task.spec.execution());
    return new ReasonException(
        line.isPresent() ? ErrorKind.USER : ErrorKind.BUG,
        new TaskNotEnded(nameOf(task.spec), job, timeout, failed, line));
  }

  private String nameOf(TaskSpec spec) {
    return programs.values().stream()
        .flatMap(program -> program.loaded.stream())
        .flatMap(loaded -> loaded.graph().vertices().stream())
        .filter(vertex -> vertex.id().equals(spec.vertex()))
        .map(
            vertex ->
                "'%s' (%d/%d)".formatted(vertex.name(), spec.subtask() + 1, vertex.parallelism()))
        .findFirst()
        .orElse(spec.execution().toString());
  }

  private void end(Task task, TaskUpdate last) {
    ExecutionId execution = task.spec.execution();
    if (!live.remove(execution, task)) {
      return;
    }
    task.watchdog.ifPresent(Mailbox.Timer::cancel);
    snapshots.ended(execution);
    ended.add(execution);
    if (ended.size() > MAX_REMEMBERED) {
      ended.remove(ended.iterator().next());
    }
    task.session.updates().add(task.counters.map(last::with).orElse(last));
    Map<ExecutionId, Task> inSlot = bySlot.get(task.slot);
    inSlot.remove(execution);
    if (inSlot.isEmpty()) {
      bySlot.remove(task.slot);
      emptied.accept(task.slot);
    }
  }

  private void changed(TaskUpdate update) {
    Task task = live.get(update.execution());
    if (task == null) {
      return;
    }
    if (!update.state().isTerminal()) {
      task.session.updates().add(update);
    } else if (update.state() == TaskState.CANCELED && task.failure.isPresent()) {
      end(task, TaskUpdate.failed(update.execution(), task.failure.get()));
    } else if (update.state() == TaskState.FAILED && update.failure().isPresent()) {
      end(task, task.failed(update.failure().get()));
    } else {
      end(task, update);
    }
  }

  private void counted(TaskCounters last) {
    Task task = live.get(last.execution());
    if (task != null) {
      task.counters = Optional.of(last);
    }
  }

  private void collected(CollectedPart part, JobMasterSession session, Runnable accepted) {
    if (!session.isOpen()) {
      return; // Its task is being cancelled.
    }
    worker.then(
        session.withoutTimeout().collect(part),
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
    Task task = live.get(part.execution());
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

  /** Passes events of the task host to the mailbox. */
  private final class Listener implements TaskListener {
    private final JobMasterSession session;

    Listener(JobMasterSession session) {
      this.session = session;
    }

    @Override
    public void stateChanged(ExecutionId execution, TaskState state, Optional<Failure> failure) {
      TaskUpdate update = new TaskUpdate(execution, state, failure);
      worker.mailbox().post(() -> changed(update));
    }

    @Override
    public void failing(ExecutionId execution) {
      worker.mailbox().post(() -> JobTasks.this.failing(execution));
    }

    @Override
    public void snapshotStored(long checkpoint, TaskSnapshot snapshot) {
      worker.mailbox().post(() -> snapshots.stored(checkpoint, snapshot));
    }

    @Override
    public void snapshotDeclined(ExecutionId execution, long checkpoint, DeclineCause cause) {
      worker.mailbox().post(() -> snapshots.declined(execution, checkpoint, cause));
    }

    @Override
    public void awaitsCheckpoint(ExecutionId execution) {
      TaskUpdate update = TaskUpdate.of(execution, TaskState.RUNNING).with(new AwaitsCheckpoint());
      worker.mailbox().post(() -> changed(update));
    }

    @Override
    public void backlogChanged(ExecutionId execution, boolean backlog) {
      worker
          .mailbox()
          .post(
              () -> {
                if (session.isOpen()) {
                  session
                      .gateway()
                      .backlogChanged(new BacklogNotice(worker.id(), execution, backlog));
                }
              });
    }

    @Override
    public void alignWatermark(
        ExecutionId execution, String group, long watermark, LongConsumer answer) {
      worker
          .mailbox()
          .post(
              () -> {
                if (session.isOpen()) {
                  session
                      .gateway()
                      .alignWatermark(new WatermarkReport(worker.id(), execution, group, watermark))
                      .whenComplete(
                          (lowest, failure) -> {
                            if (failure == null) {
                              answer.accept(lowest.watermark());
                            } else {
                              LOG.debug("Alignment group '{}' gives no answer", group, failure);
                            }
                          });
                }
              });
    }

    @Override
    public void counted(TaskCounters last) {
      worker.mailbox().post(() -> JobTasks.this.counted(last));
    }

    @Override
    public void collected(
        ExecutionId execution, String name, Bytes records, int count, Runnable accepted) {
      CollectedPart part = new CollectedPart(execution, name, records, count);
      worker.mailbox().post(() -> JobTasks.this.collected(part, session, accepted));
    }
  }
}
