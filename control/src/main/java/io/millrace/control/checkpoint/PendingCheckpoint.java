package io.millrace.control.checkpoint;

import io.millrace.control.checkpoint.CheckpointAction.Trigger;
import io.millrace.control.checkpoint.CheckpointPlan.Participant;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** A checkpoint that is in progress. */
final class PendingCheckpoint {
  /**
   *
   *
   * <table>
   * <caption>Transitions</caption>
   * <tr><th>from</th><th>event</th><th>to</th></tr>
   * <tr><td>PREPARING</td><td>the directory exists</td><td>RUNNING</td></tr>
   * <tr><td>RUNNING</td><td>every task has stored its state</td><td>STORING</td></tr>
   * <tr><td>STORING</td><td>the recovery store has it</td><td>complete: no longer pending</td></tr>
   * <tr><td>any</td><td>given up</td><td>aborted: no longer pending</td></tr>
   * </table>
   */
  enum Phase {
    PREPARING,
    RUNNING,
    STORING
  }

  final long number;
  final CheckpointRequest.Type type;
  final OptionalLong request;
  final long triggered;
  private final Map<ExecutionId, Participant> tasks = new LinkedHashMap<>();
  private final Map<ExecutionId, TaskSnapshot> snapshots = new LinkedHashMap<>();
  final CheckpointRequest.Barriers barriers;
  Phase phase = Phase.PREPARING;
  String directory = "";
  long timestamp;

  /** Whether tasks failed or were cancelled while it was being stored. */
  boolean interrupted;

  private Set<String> sharedFiles = new TreeSet<>();

  /**
   * @param triggered the time of {@code Env.nanos()}
   */
  PendingCheckpoint(
      long number,
      CheckpointRequest.Type type,
      CheckpointRequest.Barriers barriers,
      OptionalLong request,
      CheckpointPlan.Ready plan,
      long triggered) {
    this.barriers = barriers;
    this.number = number;
    this.type = type;
    this.request = request;
    this.triggered = triggered;
    plan.tasks().forEach(task -> tasks.put(task.execution(), task));
  }

  /** Whether no user requested it. */
  boolean isScheduled() {
    return request.isEmpty();
  }

  /** Whether tasks cannot finish after it, because some of them had failed before. */
  boolean isInterruptedStop() {
    return interrupted && type.stops();
  }

  int size() {
    return tasks.size();
  }

  Optional<Participant> task(ExecutionId execution) {
    return Optional.ofNullable(tasks.get(execution));
  }

  /** The requests to its TaskManagers. */
  List<Trigger> triggers(CheckpointRequest request) {
    Map<WorkerId, List<Participant>> byWorker = new LinkedHashMap<>();
    tasks
        .values()
        .forEach(task -> byWorker.computeIfAbsent(task.worker(), x -> new ArrayList<>()).add(task));
    List<Trigger> triggers = new ArrayList<>();
    byWorker.forEach(
        (worker, own) ->
            triggers.add(
                new Trigger(
                    worker,
                    request,
                    own.stream().map(Participant::execution).toList(),
                    own.stream()
                        .filter(Participant::source)
                        .map(Participant::execution)
                        .toList())));
    return triggers;
  }

  List<WorkerId> workers() {
    Set<WorkerId> workers = new LinkedHashSet<>();
    tasks.values().forEach(task -> workers.add(task.worker()));
    return new ArrayList<>(workers);
  }

  /** Takes the snapshot of a task that takes part; a repeated one changes nothing. */
  void stored(WorkerId worker, TaskSnapshot snapshot) {
    Participant task = tasks.get(snapshot.execution());
    if (task != null && task.worker().equals(worker)) {
      snapshots.putIfAbsent(snapshot.execution(), snapshot);
    }
  }

  boolean isStored() {
    return snapshots.size() == tasks.size();
  }

  /** The names of the tasks that have not stored their state. */
  List<String> missing() {
    return tasks.values().stream()
        .filter(task -> !snapshots.containsKey(task.execution()))
        .map(Participant::name)
        .toList();
  }

  /** The shared files that its metadata refers to. */
  Set<String> sharedFiles() {
    return sharedFiles;
  }

  CheckpointMetadata metadata(JobGraph graph) {
    Map<VertexId, SubtaskState[]> states = new LinkedHashMap<>();
    for (JobVertex vertex : graph.vertices()) {
      SubtaskState[] finished = new SubtaskState[vertex.parallelism()];
      Arrays.fill(finished, SubtaskState.FINISHED);
      states.put(vertex.id(), finished);
    }
    snapshots.forEach(
        (execution, snapshot) -> {
          Participant task = tasks.get(execution);
          states.get(task.vertex())[task.subtask()] =
              new SubtaskState(snapshot.finished(), snapshot.operators(), snapshot.inFlight());
        });
    List<VertexState> vertices = new ArrayList<>();
    for (JobVertex vertex : graph.vertices()) {
      vertices.add(
          new VertexState(
              vertex.id(),
              vertex.name(),
              vertex.parallelism(),
              vertex.maxParallelism(),
              vertex.operators().stream().map(PendingCheckpoint::info).toList(),
              List.of(states.get(vertex.id()))));
    }
    boolean overtaken =
        snapshots.values().stream().anyMatch(snapshot -> !snapshot.inFlight().isEmpty());
    CheckpointMetadata metadata =
        new CheckpointMetadata(
            graph.id(),
            number,
            timestamp,
            type,
            vertices,
            overtaken ? CheckpointMetadata.EdgeInfo.of(graph) : List.of());
    sharedFiles = metadata.sharedFiles();
    return metadata;
  }

  private static OperatorInfo info(ChainedOperator operator) {
    return new OperatorInfo(operator.id(), operator.name());
  }

  long bytes() {
    return snapshots.values().stream().mapToLong(TaskSnapshot::size).sum();
  }
}
