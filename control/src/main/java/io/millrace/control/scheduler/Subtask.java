package io.millrace.control.scheduler;

import io.millrace.graph.JobVertex;
import io.millrace.protocol.text.TaskText;
import io.millrace.task.TaskSpec;

/** One parallel part of a vertex, with its current execution. */
final class Subtask {
  final int vertexIndex;
  final JobVertex vertex;
  final int index;
  final SharedSlot slot;
  Region region;
  Execution current;

  Subtask(int vertexIndex, JobVertex vertex, int index, SharedSlot slot) {
    this.vertexIndex = vertexIndex;
    this.vertex = vertex;
    this.index = index;
    this.slot = slot;
  }

  /** Its current execution as TaskManagers know it. */
  TaskSpec spec() {
    return new TaskSpec(vertex.id(), index, current.attempt, current.id);
  }

  /** The displayed name: {@code Sink: print (2/4)}. */
  String name() {
    return TaskText.name(vertex, index);
  }
}
