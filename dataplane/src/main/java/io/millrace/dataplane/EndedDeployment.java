package io.millrace.dataplane;

import io.millrace.core.id.VertexId;
import io.millrace.task.TaskCounters;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** The last counters of a deployment whose tasks have ended. */
record EndedDeployment(Set<Subtask> subtasks, List<TaskCounters> counters) {
  record Subtask(VertexId vertex, int index) {}

  /** Whether another deployment runs one of the same subtasks again. */
  boolean isReplacedBy(RunningDeployment later) {
    return !Collections.disjoint(subtasks, later.subtasks());
  }
}
