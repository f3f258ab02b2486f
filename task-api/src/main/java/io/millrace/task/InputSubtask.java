package io.millrace.task;

import io.millrace.core.id.VertexId;
import java.util.Objects;

/**
 * A subtask that sends to another one.
 *
 * @param vertex the vertex of the sender
 */
public record InputSubtask(VertexId vertex, int subtask) {
  public InputSubtask {
    Objects.requireNonNull(vertex);
  }
}
