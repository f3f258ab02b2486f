package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.ExecutionId;
import io.millrace.graph.JobGraph;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The tasks of one pipelined region that run on this host.
 *
 * @param number identifies the deployment among those of the job; channels connect tasks with the
 *     same number only, so that a restarted region gets no records of the previous one
 * @param slots the resources of each task's slot
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

  /** A deployment whose slots have no resources. */
  public Deployment(JobGraph graph, long number, List<TaskSpec> tasks, Placement placement) {
    this(graph, number, tasks, placement, new LinkedHashMap<>());
  }

  public SlotResources slotOf(ExecutionId task) {
    return slots.getOrDefault(task, SlotResources.NONE);
  }
}
