package io.millrace.test;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.core.metric.MetricName;
import io.millrace.core.metric.MetricReading;
import io.millrace.core.metric.MetricValue;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.DataPlaneSettings;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.Deployment;
import io.millrace.task.Placement;
import io.millrace.task.SlotResources;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskMetricReadings;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The tasks of a program on a data plane of their own. It has one core thread, so that tasks take
 * turns, and a clock that only the test moves.
 */
final class HarnessRun implements TaskListener, AutoCloseable {
  /** The time after which a test fails instead of waiting for a function that does not return. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final long PAUSE_NANOS = 20_000;
  private static final long STORE_BYTES = 64 << 20;
  private static final int INLINE_BYTES = 1 << 20;

  private final JobGraph graph;
  private final AtomicLong clock;
  private final ClassLoader classes;
  private final Path directory;
  private final DataPlane host;
  private final Map<ExecutionId, TaskSpec> tasks = new LinkedHashMap<>();
  private final Map<ExecutionId, TaskState> states = new LinkedHashMap<>();
  private final Map<Long, Map<ExecutionId, TaskSnapshot>> snapshots = new LinkedHashMap<>();
  private final Map<Long, DeclineCause> declined = new LinkedHashMap<>();
  private Optional<Failure> failure = Optional.empty();
  private boolean isFailing;
  private long checkpoints;

  HarnessRun(JobGraph graph, AtomicLong clock, Optional<HarnessSnapshot> from) {
    this.graph = graph;
    this.clock = clock;
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    this.classes = context == null ? HarnessRun.class.getClassLoader() : context;
    try {
      this.directory = Files.createTempDirectory("millrace-harness");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.host = DataPlane.withClock(DataPlaneSettings.inProcess(1), clock::get);
    try {
      deploy(from.map(this::assignment));
      await("all functions are open", () -> hasState(TaskState.RUNNING));
      settle();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private StateAssignment assignment(HarnessSnapshot from) {
    Path files = directory.resolve("restored");
    from.writeTo(files);
    StateAssignment assignment =
        new StateAssignment(from.metadata(), files.toString(), files.toString());
    List<StateAssignment.Misfit> misfits = assignment.check(graph, false);
    if (!misfits.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The program cannot start with the "
              + from
              + ": "
              + misfits
              + ". Give operators whose position changes a uid.");
    }
    return assignment;
  }

  /** The sum over the subtasks of the one operator that has the metric. */
  double metric(String name) {
    Set<String> operators = new LinkedHashSet<>();
    Set<String> known = new TreeSet<>();
    double sum = 0;
    for (TaskMetricReadings task : host.metrics(graph.id())) {
      for (MetricReading reading : task.readings()) {
        MetricName full = reading.name();
        String inOperator = new MetricName("", full.groups(), full.name()).dotted();
        known.add(full.dotted());
        if (name.equals(full.dotted()) || name.equals(inOperator)) {
          operators.add(full.operator());
          sum += total(reading.value());
        }
      }
    }
    if (operators.size() != 1) {
      throw new IllegalStateException(
          operators.isEmpty()
              ? "No operator has a metric '" + name + "'. Those that are registered: " + known
              : "Operators " + operators + " have the metric. Begin its name with one of them.");
    }
    return sum;
  }

  private static double total(MetricValue value) {
    if (value instanceof MetricValue.Rate rate) {
      return rate.count();
    } else if (value instanceof MetricValue.Distribution distribution) {
      return distribution.count();
    }
    return value.number();
  }

  private void deploy(Optional<StateAssignment> state) {
    Map<io.millrace.core.id.VertexId, List<Placement.Run>> runs = new LinkedHashMap<>();
    Map<ExecutionId, SlotResources> slots = new LinkedHashMap<>();
    Map<ExecutionId, TaskRestore> restores = new LinkedHashMap<>();
    ManagedMemory memory = ManagedMemory.declared(STORE_BYTES);
    for (JobVertex vertex : graph.vertices()) {
      runs.put(vertex.id(), List.of(new Placement.Run(0, vertex.parallelism(), 0)));
      for (int i = 0; i < vertex.parallelism(); i++) {
        TaskSpec spec =
            new TaskSpec(vertex.id(), i, 0, ExecutionId.random(ThreadLocalRandom.current()));
        tasks.put(spec.execution(), spec);
        states.put(spec.execution(), TaskState.DEPLOYING);
        slots.put(spec.execution(), new SlotResources(memory, new LinkedHashMap<>()));
        int subtask = i;
        state
            .flatMap(from -> from.of(graph, vertex, subtask))
            .ifPresent(restore -> restores.put(spec.execution(), restore));
      }
    }
    host.deploy(
        new Deployment(
            graph,
            1,
            List.copyOf(tasks.values()),
            new Placement(List.of(host.dataAddress()), runs),
            slots,
            restores),
        classes,
        this);
  }

  ClassLoader classes() {
    return classes;
  }

  JobGraph graph() {
    return graph;
  }

  // --- steps

  /** Waits until everything has happened that follows from what the test did; throws a failure. */
  void settle() {
    await("all records are processed", host::isQuiescent);
  }

  /** Lets the tasks see that the clock has moved. */
  void timeMoved() {
    host.wakeTasks();
    settle();
  }

  /** Waits for the end of all tasks. */
  void awaitEnd() {
    await("the program ends", () -> hasState(TaskState.FINISHED));
  }

  private synchronized boolean hasState(TaskState state) {
    return states.values().stream().allMatch(state::equals);
  }

  /** Waits for a condition; throws the failure of a task at once. */
  void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      throwFailure();
      if (condition.getAsBoolean()) {
        // A task may have failed in its last step.
        throwFailure();
        if (!failing()) {
          return;
        }
      }
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Waited " + PATIENCE + " until " + what + ". " + whereabouts());
      }
      if (Thread.interrupted()) {
        Thread.currentThread().interrupt();
        throw new AssertionError("Interrupted before " + what + ". " + whereabouts());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private synchronized boolean failing() {
    return isFailing;
  }

  private synchronized void throwFailure() {
    if (failure.isPresent()) {
      throw failure.get().toException();
    }
  }

  private synchronized String whereabouts() {
    StringBuilder text = new StringBuilder("Tasks:");
    states.forEach(
        (execution, state) -> {
          TaskSpec spec = tasks.get(execution);
          text.append("\n  '")
              .append(graph.vertex(spec.vertex()).name())
              .append("' ")
              .append(spec.subtask() + 1)
              .append(' ')
              .append(state);
          host.whereabouts(execution).ifPresent(frame -> text.append(" at ").append(frame));
        });
    return text.toString();
  }

  // --- snapshots

  /**
   * Takes a snapshot of all tasks.
   *
   * @param completes whether functions hear that it is complete
   */
  HarnessSnapshot snapshot(boolean completes) {
    settle();
    long number = ++checkpoints;
    Path files = directory.resolve("snapshot-" + number);
    try {
      Files.createDirectories(files);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    CheckpointRequest request =
        new CheckpointRequest(
            number,
            clock.get(),
            CheckpointRequest.Type.SAVEPOINT,
            CheckpointRequest.Barriers.ALIGNED,
            files.toString(),
            files.toString(),
            INLINE_BYTES);
    host.triggerCheckpoint(graph.id(), request, sources());
    await("the snapshot is complete", () -> isStored(number));
    if (completes) {
      host.checkpointCompleted(graph.id(), number);
    } else {
      host.checkpointAborted(graph.id(), number);
    }
    settle();
    HarnessSnapshot taken = HarnessSnapshot.of(metadata(request), files);
    delete(files);
    return taken;
  }

  private List<ExecutionId> sources() {
    return tasks.values().stream()
        .filter(
            task -> graph.edges().stream().noneMatch(edge -> edge.target().equals(task.vertex())))
        .map(TaskSpec::execution)
        .toList();
  }

  private synchronized boolean isStored(long number) {
    if (declined.containsKey(number)) {
      throw new MillraceException(
          ErrorKind.USER, "The snapshot cannot be taken: " + declined.get(number));
    }
    return snapshots.getOrDefault(number, Map.of()).size() == tasks.size();
  }

  private synchronized CheckpointMetadata metadata(CheckpointRequest request) {
    Map<ExecutionId, TaskSnapshot> stored = snapshots.remove(request.checkpoint());
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
              tasks.values().stream()
                  .filter(task -> task.vertex().equals(vertex.id()))
                  .sorted(Comparator.comparingInt(TaskSpec::subtask))
                  .map(task -> stored.get(task.execution()))
                  .map(
                      taken ->
                          new CheckpointMetadata.SubtaskState(
                              taken.finished(), taken.operators(), taken.inFlight()))
                  .toList()));
    }
    return new CheckpointMetadata(
        graph.id(),
        request.checkpoint(),
        request.timestamp(),
        request.type(),
        vertices,
        CheckpointMetadata.EdgeInfo.of(graph));
  }

  // --- events of the tasks

  @Override
  public synchronized void stateChanged(
      ExecutionId execution, TaskState state, Optional<Failure> why) {
    states.put(execution, state);
    if (failure.isEmpty()) {
      failure = why;
    }
  }

  @Override
  public synchronized void failing(ExecutionId execution) {
    isFailing = true;
  }

  @Override
  public synchronized void snapshotStored(long checkpoint, TaskSnapshot snapshot) {
    snapshots
        .computeIfAbsent(checkpoint, number -> new LinkedHashMap<>())
        .put(snapshot.execution(), snapshot);
  }

  @Override
  public synchronized void snapshotDeclined(
      ExecutionId execution, long checkpoint, DeclineCause cause) {
    declined.put(checkpoint, cause);
  }

  @Override
  public void collected(
      ExecutionId execution, String name, Bytes records, int count, Runnable accepted) {
    accepted.run();
  }

  @Override
  public void close() {
    host.close();
    delete(directory);
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
