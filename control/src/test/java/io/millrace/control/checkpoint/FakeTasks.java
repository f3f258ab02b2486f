package io.millrace.control.checkpoint;

import io.millrace.control.checkpoint.CheckpointPlan.Participant;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.reason.CheckpointReason.TaskNotRunning;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tasks of a job on two workers, as a coordinator sees them. */
final class FakeTasks implements CheckpointPlan.Planner {
  static final WorkerId ONE = new WorkerId("one");
  static final WorkerId TWO = new WorkerId("two");

  final JobGraph graph;
  final Map<ExecutionId, Participant> running = new LinkedHashMap<>();
  boolean ready = true;

  /** The names of the shared files that snapshots refer to. */
  List<String> sharedFiles = List.of();

  /** A source and a sink of two subtasks each; each worker has one of both. */
  FakeTasks() {
    graph =
        new Graphs(1).vertex("source", 2).vertex("sink", 2).edge(0, 1, Partitioning.HASH).build();
    int next = 0;
    for (JobVertex vertex : graph.vertices()) {
      for (int i = 0; i < vertex.parallelism(); i++) {
        ExecutionId execution = new ExecutionId(new Id128(7, next++));
        running.put(
            execution,
            new Participant(
                vertex.id(),
                i,
                execution,
                i == 0 ? ONE : TWO,
                vertex.name() + " (" + (i + 1) + "/2)",
                vertex.name().equals("source")));
      }
    }
  }

  @Override
  public CheckpointPlan plan() {
    return ready
        ? new CheckpointPlan.Ready(new ArrayList<>(running.values()))
        : new CheckpointPlan.NotReady(new TaskNotRunning("source (1/2)"));
  }

  List<ExecutionId> of(WorkerId worker) {
    return running.values().stream()
        .filter(task -> task.worker().equals(worker))
        .map(Participant::execution)
        .toList();
  }

  /** The snapshots of some tasks; the state names the task and the checkpoint. */
  List<TaskSnapshot> snapshots(long checkpoint, List<ExecutionId> executions) {
    return executions.stream().map(execution -> snapshot(checkpoint, execution)).toList();
  }

  private TaskSnapshot snapshot(long checkpoint, ExecutionId execution) {
    Participant task = running.get(execution);
    OperatorSnapshot state =
        new OperatorSnapshot(
            graph.vertex(task.vertex()).operators().get(0).id(),
            sharedFiles.isEmpty()
                ? List.of()
                : List.of(
                    new OperatorSnapshot.Keyed(
                        new KeyGroupRange(0, 1),
                        "other",
                        new StateHandle.Inline(Bytes.utf8("files")),
                        sharedFiles.stream()
                            .map(
                                name ->
                                    new StateHandle.FileSegment(
                                        StateHandle.Directory.SHARED, name, 0, 1, 0))
                            .toList())),
            List.of(
                new OperatorSnapshot.ListState(
                    "state",
                    OperatorSnapshot.Redistribution.SPLIT,
                    1,
                    new StateHandle.Inline(Bytes.utf8(checkpoint + " of " + task.name())))));
    return new TaskSnapshot(execution, List.of(state), List.of(), TaskSnapshot.Timing.NONE);
  }
}
