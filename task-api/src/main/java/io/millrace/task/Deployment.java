package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.graph.JobGraph;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * All tasks of one pipelined region that run on this host.
 *
 * @param number distinguishes this deployment from every other one of the same job; channels
 *     connect tasks of the same number only, so that a restarted region never hears from its
 *     forerunner
 * @param slots what the slot of each task has
 */
public record Deployment(
    JobGraph graph,
    long number,
    List<TaskSpec> tasks,
    Placement placement,
    Map<ExecutionId, SlotResources> slots) {
  public Deployment {
    Objects.requireNonNull(graph);
    tasks = OrderedCopies.list(tasks);
    Objects.requireNonNull(placement);
    slots = OrderedCopies.map(slots);
  }

  /** A deployment whose slots have nothing of their own. */
  public Deployment(JobGraph graph, long number, List<TaskSpec> tasks, Placement placement) {
    this(graph, number, tasks, placement, new LinkedHashMap<>());
  }

  public SlotResources slotOf(ExecutionId task) {
    return slots.getOrDefault(task, SlotResources.NONE);
  }
}
