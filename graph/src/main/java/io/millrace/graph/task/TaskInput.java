package io.millrace.graph.task;

import io.millrace.core.id.VertexId;
import java.util.Objects;

/**
 * A subtask as another one's input.
 *
 * @param vertex of the one that sends
 */
public record TaskInput(VertexId vertex, int subtask) {
  public TaskInput {
    Objects.requireNonNull(vertex);
  }
}
