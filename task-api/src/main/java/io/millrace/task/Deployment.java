package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.graph.JobGraph;
import io.millrace.task.checkpoint.TaskRestore;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The tasks of one pipelined region that run on this host.
 *
 * @param number identifies the deployment among those of the job; channels connect tasks with the
 *     same number only, so that a restarted region gets no records of the previous one
 * @param slots the resources of each task's slot
 * @param restores the state of the tasks that do not start for the first time
 * @param files the local copies of the job's cached files, by name
 */
public record Deployment(
    JobGraph graph,
    long number,
    List<TaskSpec> tasks,
    Placement placement,
    Map<ExecutionId, SlotResources> slots,
    Map<ExecutionId, TaskRestore> restores,
    Map<String, Path> files) {
  public Deployment {
    Objects.requireNonNull(graph);
    tasks = OrderedCopies.list(tasks);
    Objects.requireNonNull(placement);
    slots = OrderedCopies.map(slots);
    restores = OrderedCopies.map(restores);
    files = OrderedCopies.map(files);
  }

  /** A deployment whose slots have no resources and whose tasks start for the first time. */
  public Deployment(JobGraph graph, long number, List<TaskSpec> tasks, Placement placement) {
    this(graph, number, tasks, placement, new LinkedHashMap<>(), new LinkedHashMap<>());
  }

  /** A deployment of a job without cached files. */
  public Deployment(
      JobGraph graph,
      long number,
      List<TaskSpec> tasks,
      Placement placement,
      Map<ExecutionId, SlotResources> slots,
      Map<ExecutionId, TaskRestore> restores) {
    this(graph, number, tasks, placement, slots, restores, new LinkedHashMap<>());
  }

  /** The state with which a task starts; empty if it starts for the first time. */
  public Optional<TaskRestore> restoreOf(ExecutionId task) {
    return Optional.ofNullable(restores.get(task));
  }

  public SlotResources slotOf(ExecutionId task) {
    return slots.getOrDefault(task, SlotResources.NONE);
  }
}
