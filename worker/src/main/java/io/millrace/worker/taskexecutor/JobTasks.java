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
import io.millrace.protocol.JobMasterGateway.CollectedPart;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
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
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.TaskSnapshot;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks of one job on this worker, and the code they are made from. */
final class JobTasks {
  private static final Logger LOG = LoggerFactory.getLogger(JobTasks.class);

  /** A deployment that arrives twice runs once, also where its tasks ended in between. */
  private static final int REMEMBERED = 20_000;

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
    private final JobMasterSession session;
    private boolean handedOver;
    private boolean cancelling;

    /** Ends the process where the task has failed and does not end. */
    private Optional<Mailbox.Timer> watchdog = Optional.empty();

    /** Why it is cancelled, where that is not its JobMaster's wish: it counts as failed then. */
    private Optional<Failure> failure = Optional.empty();

    private Optional<TaskCounters> counters = Optional.empty();

    Task(TaskInSlot deployed, JobMasterSession session) {
      this.spec = deployed.task();
      this.slot = deployed.slot();
      this.session = session;
    }
  }

  /** Code that is loading or loaded, and what is to be deployed once it is, in order. */
  private static final class Program {
    private final JobCode code;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private Optional<JobCode.Loaded> loaded = Optional.empty();

    Program(JobCode code) {
      this.code = code;
    }
  }

  /** A deployment that waits for the code of the job and for the metadata of its state. */
  private static final class Waiting {
    private final DeployTasks request;
    private final List<Task> tasks;
    private final JobMasterSession session;
    private final CompletableFuture<Acknowledge> answer = new CompletableFuture<>();

    /** The state that the tasks start with; empty if they start without or while it is read. */
    private Optional<StateAssignment> state = Optional.empty();

    private Optional<Throwable> unreadable = Optional.empty();

    Waiting(DeployTasks request, List<Task> tasks, JobMasterSession session) {
      this.request = request;
      this.tasks = tasks;
      this.session = session;
    }

    boolean isReady() {
      return request.restore().isEmpty() || state.isPresent() || unreadable.isPresent();
    }
  }

  /**
   * @param emptied told of each slot whose last task has ended
   */
  JobTasks(TaskExecutorContext worker, JobId job, SlotTable slots, Consumer<AllocationId> emptied) {
    this.worker = worker;
    this.job = job;
    this.slots = slots;
    this.emptied = emptied;
    this.snapshots = new CheckpointSnapshots(worker);
  }

  /** Answers when the tasks are with the host; from now on they are known here. */
  CompletableFuture<Acknowledge> deploy(DeployTasks request, JobMasterSession session) {
    List<Task> tasks = new ArrayList<>();
    for (TaskInSlot deployed : request.tasks()) {
      ExecutionId execution = deployed.task().execution();
      if (!live.containsKey(execution) && !ended.contains(execution)) {
        Task task = new Task(deployed, session);
        tasks.add(task);
        live.put(execution, task);
        bySlot.computeIfAbsent(task.slot, x -> new LinkedHashMap<>()).put(execution, task);
      }
    }
    Waiting waiting = new Waiting(request, tasks, session);
    Program known = programs.get(request.graph());
    Program program = known == null ? load(request.graph()) : known;
    program.waiting.add(waiting);
    request.restore().ifPresent(checkpoint -> readState(program, waiting, checkpoint));
    handOver(program);
    return waiting.answer;
  }

  private void readState(Program program, Waiting waiting, RestoredCheckpoint checkpoint) {
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
          waiting.state = Optional.ofNullable(state);
          waiting.unreadable = Optional.ofNullable(failure).map(Failure::unwrap);
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

  /** Whether tasks that were deployed in another session are still in the slot. */
  boolean hasOthersIn(AllocationId slot, JobMasterSession session) {
    return bySlot.getOrDefault(slot, new LinkedHashMap<>()).values().stream()
        .anyMatch(task -> task.session != session);
  }

  boolean isEmpty() {
    return live.isEmpty();
  }

  /** What was deployed in a session and not yet reported there as ended. */
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

  /** Gives up the code; no task is left. */
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
      refuse(program, new MillraceException(ErrorKind.EXTERNAL, "Job " + job + " left " + here()));
      program.code.close();
    }
    programs.clear();
    LOG.info("Job {} released its code on {}", job, here());
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
            // Forgotten, so that the next deployment tries again.
            programs.remove(graph);
            program.code.close();
            refuse(program, Failure.unwrap(failure));
          }
        });
    return program;
  }

  private void refuse(Program program, Throwable why) {
    while (!program.waiting.isEmpty()) {
      reject(program.waiting.remove(), why);
    }
  }

  /** The call fails at once; its tasks are reported as well, in case its caller has given up. */
  private void reject(Waiting waiting, Throwable why) {
    LOG.warn("{} tasks of job {} cannot be deployed", waiting.tasks.size(), job, why);
    Failure failure = Failure.of(why, ErrorKind.EXTERNAL);
    Failure brief = new Failure(failure.kind(), failure.type(), failure.message(), "");
    waiting.answer.completeExceptionally(why);
    for (Task task : waiting.tasks) {
      end(task, TaskState.FAILED, Optional.of(brief));
    }
  }

  private void handOver(Program program) {
    while (program.loaded.isPresent()
        && !program.waiting.isEmpty()
        && program.waiting.peek().isReady()) {
      Waiting next = program.waiting.remove();
      if (next.unreadable.isPresent()) {
        reject(next, next.unreadable.get());
      } else {
        handOver(next, program.loaded.get());
      }
    }
  }

  private void handOver(Waiting waiting, JobCode.Loaded code) {
    if (!waiting.session.isOpen()) {
      // Its tasks were cancelled with the session: whoever still waits must not take it for done.
      waiting.answer.completeExceptionally(
          new MillraceException(
              ErrorKind.EXTERNAL,
              "Worker "
                  + worker.id()
                  + " has left this leader of job "
                  + job
                  + " while the job's code was loading; none of the deployment's tasks was"
                  + " started."));
      return;
    }
    List<TaskSpec> specs = new ArrayList<>();
    Map<ExecutionId, SlotResources> resources = new LinkedHashMap<>();
    for (Task task : waiting.tasks) {
      // Those cancelled while the code was loading are not there any more.
      if (live.get(task.spec.execution()) == task) {
        task.handedOver = true;
        specs.add(task.spec);
        resources.put(task.spec.execution(), slots.resources(task.slot));
      }
    }
    if (!specs.isEmpty()) {
      LOG.info("Job {} deploys {} tasks on {}", job, specs.size(), here());
      try {
        start(waiting, specs, resources, code);
      } catch (RuntimeException | LinkageError e) {
        reject(waiting, e);
        return;
      }
    }
    waiting.answer.complete(Acknowledge.INSTANCE);
  }

  private void start(
      Waiting waiting,
      List<TaskSpec> specs,
      Map<ExecutionId, SlotResources> resources,
      JobCode.Loaded code) {
    DeployTasks request = waiting.request;
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
                waiting.state.map(state -> restores(state, specs, code)).orElseGet(LinkedHashMap::new)),
            code.classes(),
            new Listener(waiting.session));
  }

  private static Map<ExecutionId, TaskRestore> restores(
      StateAssignment state, List<TaskSpec> specs, JobCode.Loaded code) {
    Map<ExecutionId, TaskRestore> restores = new LinkedHashMap<>();
    for (TaskSpec spec : specs) {
      state
          .of(code.graph().vertex(spec.vertex()), spec.subtask())
          .ifPresent(restore -> restores.put(spec.execution(), restore));
    }
    return restores;
  }

  private void cancelAll(List<Task> tasks) {
    List<ExecutionId> waitedFor = new ArrayList<>();
    for (Task task : tasks) {
      if (!task.handedOver) {
        end(task, TaskState.CANCELED, Optional.empty());
      } else if (!task.cancelling) {
        task.cancelling = true;
        waitedFor.add(task.spec.execution());
        worker.host().cancel(task.spec.execution());
      }
    }
    Duration timeout = cancellationTimeout();
    if (!waitedFor.isEmpty() && !timeout.isNegative() && !timeout.isZero()) {
      watchdogs.add(worker.mailbox().after(timeout, () -> checkEnded(waitedFor, timeout, false)));
    }
  }

  /** Nobody cancels a task that has failed, so its code is waited for from now on. */
  private void failing(ExecutionId execution) {
    Task task = live.get(execution);
    Duration timeout = cancellationTimeout();
    if (task != null && task.watchdog.isEmpty() && !timeout.isNegative() && !timeout.isZero()) {
      task.watchdog =
          Optional.of(
              worker.mailbox().after(timeout, () -> checkEnded(List.of(execution), timeout, true)));
    }
  }

  /** The job's own, or else the worker's. */
  private Duration cancellationTimeout() {
    return programs.values().stream()
        .flatMap(program -> program.loaded.stream())
        .map(loaded -> loaded.graph().configuration())
        .filter(wishes -> wishes.contains(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT))
        .map(wishes -> wishes.get(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT))
        .findFirst()
        .orElse(worker.settings().cancellationTimeout());
  }

  /**
   * @param failed whether the tasks have failed; else they were cancelled
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

  private void end(Task task, TaskState state, Optional<Failure> failure) {
    ExecutionId execution = task.spec.execution();
    if (!live.remove(execution, task)) {
      return;
    }
    task.watchdog.ifPresent(Mailbox.Timer::cancel);
    snapshots.ended(execution);
    ended.add(execution);
    if (ended.size() > REMEMBERED) {
      ended.remove(ended.iterator().next());
    }
    task.session.updates().add(new TaskUpdate(execution, state, failure, task.counters));
    Map<ExecutionId, Task> inSlot = bySlot.get(task.slot);
    inSlot.remove(execution);
    if (inSlot.isEmpty()) {
      bySlot.remove(task.slot);
      emptied.accept(task.slot);
    }
  }

  private void changed(ExecutionId execution, TaskState state, Optional<Failure> failure) {
    Task task = live.get(execution);
    if (task == null) {
      return;
    }
    if (!state.isTerminal()) {
      task.session.updates().add(new TaskUpdate(execution, state, failure));
    } else if (state == TaskState.CANCELED && task.failure.isPresent()) {
      end(task, TaskState.FAILED, task.failure);
    } else {
      end(task, state, failure);
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
        session.patient().collect(part),
        (acknowledged, failure) -> {
          if (failure == null) {
            accepted.run();
          } else {
            resultLost(part, failure);
          }
        });
  }

  /** Nobody knows whether the records arrived, so the task cannot go on as if they had. */
  private void resultLost(CollectedPart part, Throwable failure) {
    Task task = live.get(part.execution());
    if (task != null) {
      String why = Failure.sentence(Failure.unwrap(failure));
      task.failure =
          Optional.of(
              Failure.of(
                  ErrorKind.EXTERNAL,
                  "Records of result '" + part.name() + "' did not reach the JobMaster: " + why));
      cancelAll(List.of(task));
    }
  }

  private String here() {
    return "worker " + worker.id();
  }

  /** Brings what the host says into the mailbox. */
  private final class Listener implements TaskListener {
    private final JobMasterSession session;

    Listener(JobMasterSession session) {
      this.session = session;
    }

    @Override
    public void stateChanged(ExecutionId execution, TaskState state, Optional<Failure> failure) {
      worker.mailbox().post(() -> changed(execution, state, failure));
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
    public void snapshotFailed(ExecutionId execution, long checkpoint, Failure failure) {
      worker.mailbox().post(() -> snapshots.failed(execution, checkpoint, failure));
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
