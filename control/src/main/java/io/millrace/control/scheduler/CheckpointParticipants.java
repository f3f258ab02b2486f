package io.millrace.control.scheduler;

import io.millrace.control.checkpoint.CheckpointPlan;
import io.millrace.control.checkpoint.CheckpointPlan.NotReady;
import io.millrace.control.checkpoint.CheckpointPlan.Participant;
import io.millrace.control.checkpoint.CheckpointPlan.Ready;
import io.millrace.graph.JobEdge;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.reason.CheckpointReason.AllTasksFinished;
import io.millrace.protocol.reason.CheckpointReason.TaskNotRunning;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the tasks that take part in a checkpoint: all that run. Barriers start at those without a
 * producer that still runs. Costs time in proportion to the tasks.
 */
final class CheckpointParticipants {
  private final ExecutionGraph graph;

  /** For each vertex the indexes of the subtasks that have finished, as sums from the first on. */
  private final Map<Integer, int[]> finished = new HashMap<>();

  private CheckpointParticipants(ExecutionGraph graph) {
    this.graph = graph;
  }

  static CheckpointPlan of(ExecutionGraph graph) {
    for (Subtask subtask : graph.subtasks) {
      TaskState state = subtask.current.state();
      if (state != TaskState.RUNNING && state != TaskState.FINISHED) {
        return new NotReady(new TaskNotRunning(subtask.name()));
      }
    }
    List<Participant> tasks = new CheckpointParticipants(graph).running();
    return tasks.isEmpty() ? new NotReady(new AllTasksFinished()) : new Ready(tasks);
  }

  private List<Participant> running() {
    Map<Object, Integer> indexes = new HashMap<>();
    for (int v = 0; v < graph.vertices.size(); v++) {
      indexes.put(graph.vertices.get(v).get(0).vertex.id(), v);
    }
    List<Participant> running = new ArrayList<>();
    for (List<Subtask> vertex : graph.vertices) {
      List<JobEdge> inputs = graph.graph.inputsOf(vertex.get(0).vertex.id());
      for (Subtask subtask : vertex) {
        if (subtask.current.state() == TaskState.RUNNING) {
          boolean source =
              inputs.stream()
                  .allMatch(
                      edge -> isEnded(edge, indexes.get(edge.source()), subtask, vertex.size()));
          running.add(
              new Participant(
                  subtask.vertex.id(),
                  subtask.index,
                  subtask.current.id,
                  subtask.current.worker().orElseThrow(),
                  subtask.name(),
                  source));
        }
      }
    }
    return running;
  }

  /** Whether all producers of a subtask on an edge have finished. */
  private boolean isEnded(JobEdge edge, int source, Subtask subtask, int consumers) {
    int producers = graph.vertices.get(source).size();
    boolean pointwise =
        edge.partitioning() == Partitioning.FORWARD || edge.partitioning() == Partitioning.RESCALE;
    // Neighbours are those whose shares of the whole overlap.
    int first = pointwise ? (int) ((long) subtask.index * producers / consumers) : 0;
    int end =
        pointwise
            ? (int) (((long) (subtask.index + 1) * producers + consumers - 1) / consumers)
            : producers;
    int[] sums = finished.computeIfAbsent(source, this::finishedSums);
    return sums[end] - sums[first] == end - first;
  }

  private int[] finishedSums(int vertex) {
    List<Subtask> subtasks = graph.vertices.get(vertex);
    int[] sums = new int[subtasks.size() + 1];
    for (int i = 0; i < subtasks.size(); i++) {
      boolean ended = subtasks.get(i).current.state() == TaskState.FINISHED;
      sums[i + 1] = sums[i] + (ended ? 1 : 0);
    }
    return sums;
  }
}
