package io.millrace.dataplane.task;

import io.millrace.core.id.VertexId;
import io.millrace.task.TaskCounters;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** The last counters of a deployment whose tasks have ended. */
public record EndedDeployment(Set<Subtask> subtasks, List<TaskCounters> counters) {
  /** A subtask of the job graph, whichever attempt. */
  public record Subtask(VertexId vertex, int index) {}

  /** Whether a later deployment runs one of the same subtasks again. */
  public boolean isReplacedBy(RunningDeployment later) {
    return !Collections.disjoint(subtasks, later.subtasks());
  }
}
