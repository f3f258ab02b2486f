package io.millrace.task;

import io.millrace.core.id.VertexId;
import java.util.Objects;

/**
 * A subtask as another one's input.
 *
 * @param vertex of the one that sends
 */
public record InputSubtask(VertexId vertex, int subtask) {
  public InputSubtask {
    Objects.requireNonNull(vertex);
  }
}
