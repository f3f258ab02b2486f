package io.millrace.protocol.text;

import io.millrace.graph.JobVertex;

/** Renders the names of tasks. */
public final class TaskText {
  private TaskText() {}

  /**
   * Such as {@code Sink: print (2/4)}.
   *
   * @param index of the subtask, from 0
   */
  public static String name(JobVertex vertex, int index) {
    return vertex.name() + " (" + (index + 1) + "/" + vertex.parallelism() + ")";
  }
}
