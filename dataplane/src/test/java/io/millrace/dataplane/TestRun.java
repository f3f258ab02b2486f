package io.millrace.dataplane;

import io.millrace.core.Bytes;
import io.millrace.core.error.Failure;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.Deployment;
import io.millrace.task.Placement;
import io.millrace.task.SlotResources;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A job deployed over some hosts, and everything they said about it. */
final class TestRun implements TaskListener {
  static final Duration PATIENCE = Duration.ofMinutes(2);

  private final JobGraph graph;
  private final List<DataPlane> hosts;
  private final Map<ExecutionId, TaskState> states = new LinkedHashMap<>();
  private final Map<ExecutionId, TaskSpec> specs = new LinkedHashMap<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<ExecutionId> failing = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final List<Object> collected = new ArrayList<>();
  private final Map<String, List<Object>> collectedByName = new LinkedHashMap<>();
  private final List<Runnable> unaccepted = new ArrayList<>();
  private final CollectedRecordDecoder records;
  private final ClassLoader classes;
  private boolean accepting = true;
  private UnaryOperator<TaskListener> listening = listener -> listener;
  private Function<TaskSpec, SlotResources> slots = spec -> TestBackends.slot();
  private Optional<StateAssignment> restoring = Optional.empty();
  private final Map<Long, Map<ExecutionId, TaskSnapshot>> snapshots = new LinkedHashMap<>();
  private final Map<Long, Map<ExecutionId, DeclineCause>> snapshotFailures = new LinkedHashMap<>();
  private final Map<ExecutionId, Integer> awaiting = new LinkedHashMap<>();

  /** The tasks that had not ended when a checkpoint was triggered: all of them take part. */
  private final Map<Long, Set<ExecutionId>> participants = new LinkedHashMap<>();

  private TestRun(JobGraph graph, List<DataPlane> hosts, ClassLoader classes) {
    this.graph = TestBackends.of(graph);
    this.hosts = hosts;
    this.classes = classes;
    this.records = new CollectedRecordDecoder(classes, Bytes.EMPTY);
  }

  static TestRun start(JobGraph graph, DataPlane... hosts) {
    return of(graph, hosts).deploy(1, subtask -> subtask % hosts.length);
  }

  static TestRun of(JobGraph graph, DataPlane... hosts) {
    return of(graph, TestRun.class.getClassLoader(), hosts);
  }

  static TestRun of(JobGraph graph, ClassLoader classes, DataPlane... hosts) {
    return new TestRun(graph, List.of(hosts), classes);
  }

  JobId job() {
    return graph.id();
  }

  /** Gives each task's slot something of its own. */
  TestRun inSlots(Function<TaskSpec, SlotResources> having) {
    slots = having;
    return this;
  }

  /** Starts the tasks with the state of a checkpoint. */
  TestRun restoring(StateAssignment state) {
    restoring = Optional.of(state);
    return this;
  }

  /** Puts something between the hosts and this. */
  TestRun listeningThrough(UnaryOperator<TaskListener> between) {
    listening = between;
    return this;
  }

  TestRun deploy(long number, IntUnaryOperator hostOfSubtask) {
    Planned planned = plan(number, hostOfSubtask);
    hosts.forEach(planned::deployAt);
    return this;
  }

  /** Draws the tasks of a deployment without telling the hosts. */
  Planned plan(long number, IntUnaryOperator hostOfSubtask) {
    Map<VertexId, List<Placement.Run>> runs = new LinkedHashMap<>();
    List<List<TaskSpec>> tasks = new ArrayList<>();
    hosts.forEach(host -> tasks.add(new ArrayList<>()));
    for (JobVertex vertex : graph.vertices()) {
      List<Placement.Run> placed = new ArrayList<>();
      for (int i = 0; i < vertex.parallelism(); i++) {
        int host = hostOfSubtask.applyAsInt(i);
        placed.add(new Placement.Run(i, 1, host));
        TaskSpec spec =
            new TaskSpec(vertex.id(), i, 0, ExecutionId.random(ThreadLocalRandom.current()));
        tasks.get(host).add(spec);
        synchronized (this) {
          states.put(spec.execution(), TaskState.DEPLOYING);
          specs.put(spec.execution(), spec);
        }
      }
      runs.put(vertex.id(), placed);
    }
    Placement placement = new Placement(hosts.stream().map(DataPlane::dataAddress).toList(), runs);
    return host -> {
      int index = hosts.indexOf(host);
      Map<ExecutionId, SlotResources> resources = new LinkedHashMap<>();
      tasks.get(index).forEach(spec -> resources.put(spec.execution(), slots.apply(spec)));
      host.deploy(
          new Deployment(
              graph, number, tasks.get(index), placement, resources, restores(tasks.get(index))),
          classes,
          listening.apply(this));
      return this;
    };
  }

  private Map<ExecutionId, TaskRestore> restores(List<TaskSpec> tasks) {
    Map<ExecutionId, TaskRestore> restores = new LinkedHashMap<>();
    for (TaskSpec spec : tasks) {
      restoring
          .flatMap(state -> state.of(graph, graph.vertex(spec.vertex()), spec.subtask()))
          .ifPresent(restore -> restores.put(spec.execution(), restore));
    }
    return restores;
  }

  // --- checkpoints

  /** Starts a checkpoint at all tasks without input. */
  void trigger(CheckpointRequest request) {
    trigger(
        request,
        vertex -> graph.edges().stream().noneMatch(edge -> edge.target().equals(vertex.id())));
  }

  void trigger(CheckpointRequest request, Predicate<JobVertex> at) {
    synchronized (this) {
      participants.computeIfAbsent(request.checkpoint(), number -> running());
    }
    List<ExecutionId> sources = new ArrayList<>();
    graph.vertices().stream().filter(at).forEach(vertex -> sources.addAll(executionsOf(vertex)));
    sources.removeIf(id -> states().get(id).isTerminal());
    for (DataPlane host : hosts) {
      host.triggerCheckpoint(
          job(), request, sources.stream().filter(id -> host.task(id).isPresent()).toList());
    }
  }

  void complete(long checkpoint) {
    hosts.forEach(host -> host.checkpointCompleted(job(), checkpoint));
  }

  void abort(long checkpoint) {
    hosts.forEach(host -> host.checkpointAborted(job(), checkpoint));
  }

  void abortEarlier(long checkpoint) {
    hosts.forEach(host -> host.earlierCheckpointsAborted(job(), checkpoint));
  }

  @Override
  public synchronized void snapshotStored(long checkpoint, TaskSnapshot snapshot) {
    if (snapshots
            .computeIfAbsent(checkpoint, n -> new LinkedHashMap<>())
            .put(snapshot.execution(), snapshot)
        != null) {
      violations.add("Snapshot of " + checkpoint + " stored twice");
    }
    notifyAll();
  }

  @Override
  public synchronized void snapshotDeclined(
      ExecutionId execution, long checkpoint, DeclineCause cause) {
    snapshotFailures.computeIfAbsent(checkpoint, n -> new LinkedHashMap<>()).put(execution, cause);
    notifyAll();
  }

  @Override
  public synchronized void awaitsCheckpoint(ExecutionId execution) {
    awaiting.merge(execution, 1, Integer::sum);
    notifyAll();
  }

  /** How often each task has reported that it awaits a checkpoint. */
  synchronized Map<ExecutionId, Integer> awaiting() {
    return new LinkedHashMap<>(awaiting);
  }

  synchronized Map<ExecutionId, TaskSnapshot> snapshots(long checkpoint) {
    return new LinkedHashMap<>(snapshots.getOrDefault(checkpoint, Map.of()));
  }

  synchronized Map<ExecutionId, DeclineCause> snapshotFailures(long checkpoint) {
    return new LinkedHashMap<>(snapshotFailures.getOrDefault(checkpoint, Map.of()));
  }

  /** The highest number of a checkpoint that a task has answered. */
  synchronized long snapshotAttempts() {
    return Stream.concat(snapshots.keySet().stream(), snapshotFailures.keySet().stream())
        .mapToLong(Long::longValue)
        .max()
        .orElse(0);
  }

  /** The number of tasks that have stored a checkpoint or failed to. */
  synchronized int answers(long checkpoint) {
    return snapshots(checkpoint).size() + snapshotFailures(checkpoint).size();
  }

  private Set<ExecutionId> running() {
    Set<ExecutionId> running = new LinkedHashSet<>();
    states.forEach(
        (execution, state) -> {
          if (!state.isTerminal()) {
            running.add(execution);
          }
        });
    return running;
  }

  /** Waits until all tasks that take part have stored their snapshots. */
  TestRun awaitStored(long checkpoint) {
    return await(
        "checkpoint " + checkpoint + " stored " + snapshotFailures(checkpoint),
        () -> isStored(checkpoint));
  }

  /**
   * Whether all tasks that take part have stored their snapshots. One that ends meanwhile is waited
   * for, too: its snapshot is reported when the files of its host are closed.
   */
  synchronized boolean isStored(long checkpoint) {
    return snapshots(checkpoint)
        .keySet()
        .containsAll(participants.getOrDefault(checkpoint, running()));
  }

  /** What a JobMaster would store about a checkpoint; tasks that do not take part had finished. */
  synchronized CheckpointMetadata metadata(CheckpointRequest request) {
    Map<ExecutionId, TaskSnapshot> stored = snapshots(request.checkpoint());
    List<CheckpointMetadata.VertexState> vertices = new ArrayList<>();
    for (JobVertex vertex : graph.vertices()) {
      vertices.add(
          new CheckpointMetadata.VertexState(
              vertex.id(),
              vertex.name(),
              vertex.parallelism(),
              vertex.maxParallelism(),
              vertex.operators().stream()
                  .map(
                      operator ->
                          new CheckpointMetadata.OperatorInfo(operator.id(), operator.name()))
                  .toList(),
              executionsOf(vertex).stream()
                  .map(
                      id ->
                          stored.containsKey(id)
                              ? new CheckpointMetadata.SubtaskState(
                                  stored.get(id).finished(),
                                  stored.get(id).operators(),
                                  stored.get(id).inFlight())
                              : CheckpointMetadata.SubtaskState.FINISHED)
                  .toList()));
    }
    return new CheckpointMetadata(
        job(),
        request.checkpoint(),
        request.timestamp(),
        request.type(),
        vertices,
        CheckpointMetadata.EdgeInfo.of(graph));
  }

  StateAssignment assignment(CheckpointRequest request) {
    return new StateAssignment(metadata(request), request.directory(), request.sharedDirectory());
  }

  /** A deployment that each host hears of by itself. */
  interface Planned {
    TestRun deployAt(DataPlane host);
  }

  synchronized TestRun holdCollected() {
    accepting = false;
    return this;
  }

  void acceptCollected() {
    List<Runnable> waiting;
    synchronized (this) {
      accepting = true;
      waiting = List.copyOf(unaccepted);
      unaccepted.clear();
    }
    waiting.forEach(Runnable::run);
  }

  @Override
  public synchronized void stateChanged(
      ExecutionId execution, TaskState state, Optional<Failure> failure) {
    TaskState before = states.get(execution);
    if (before.isTerminal() || before == state) {
      violations.add(before + " -> " + state);
    }
    if (failure.isPresent() != (state == TaskState.FAILED)) {
      violations.add(state + " with " + failure);
    }
    failure.ifPresent(failures::add);
    states.put(execution, state);
    notifyAll();
  }

  @Override
  public synchronized void failing(ExecutionId execution) {
    if (failing.contains(execution)) {
      violations.add(execution + " fails twice");
    }
    failing.add(execution);
    notifyAll();
  }

  /** How many tasks have failed, whether or not they have ended. */
  synchronized int failing() {
    return failing.size();
  }

  @Override
  public void collected(
      ExecutionId execution, String name, Bytes part, int count, Runnable accepted) {
    List<Object> decoded = records.decode(part);
    synchronized (this) {
      if (decoded.size() != count) {
        violations.add(count + " records announced, " + decoded.size() + " came");
      }
      collected.addAll(decoded);
      collectedByName.computeIfAbsent(name, any -> new ArrayList<>()).addAll(decoded);
      notifyAll();
      if (!accepting) {
        unaccepted.add(accepted);
        return;
      }
    }
    accepted.run();
  }

  synchronized List<Object> collected() {
    return List.copyOf(collected);
  }

  synchronized List<Object> collected(String name) {
    return List.copyOf(collectedByName.getOrDefault(name, List.of()));
  }

  synchronized List<Failure> failures() {
    return List.copyOf(failures);
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  synchronized long count(TaskState state) {
    return states.values().stream().filter(state::equals).count();
  }

  synchronized Map<ExecutionId, TaskState> states() {
    return new LinkedHashMap<>(states);
  }

  JobGraph graph() {
    return graph;
  }

  synchronized List<ExecutionId> executionsOf(JobVertex vertex) {
    return specs.values().stream()
        .filter(spec -> spec.vertex().equals(vertex.id()))
        .map(TaskSpec::execution)
        .toList();
  }

  /** The tasks whose output the tasks of a vertex read. */
  List<ExecutionId> producersOf(JobVertex vertex) {
    return graph.edges().stream()
        .filter(edge -> edge.target().equals(vertex.id()))
        .flatMap(edge -> executionsOf(graph.vertex(edge.source())).stream())
        .toList();
  }

  void cancel() {
    states().keySet().forEach(execution -> hosts.forEach(host -> host.cancel(execution)));
  }

  TestRun awaitRunning() {
    return await(
        "all running", () -> states.values().stream().allMatch(s -> s == TaskState.RUNNING));
  }

  TestRun awaitEnd() {
    return await("all ended", this::hasEnded);
  }

  synchronized boolean hasEnded() {
    return states.values().stream().allMatch(TaskState::isTerminal);
  }

  /** Every task that is still there, and whom it waits for. */
  private String whoWaits() {
    StringBuilder text = new StringBuilder();
    for (DataPlane host : hosts) {
      text.append("\nAt ").append(host.dataAddress());
      host.tasks().forEach(task -> text.append("\n  ").append(task));
    }
    return text.toString();
  }

  /** Waits for something about this run; the condition is asked under its lock. */
  synchronized TestRun await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    // Conditions outside of this run change without a notification, mostly at once.
    long pause = 1;
    while (!condition.getAsBoolean()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError(
            "Waited in vain for: "
                + what
                + "; states "
                + states.values()
                + " "
                + failures
                + whoWaits());
      }
      try {
        wait(Math.min(left, pause));
        pause = Math.min(20, 2 * pause);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    return this;
  }
}
