package io.millrace.task;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.VertexId;
import java.util.Objects;

/** One subtask to run here. */
public record TaskSpec(VertexId vertex, int subtask, int attempt, ExecutionId execution) {
  public TaskSpec {
    Objects.requireNonNull(vertex);
    Objects.requireNonNull(execution);
    if (subtask < 0 || attempt < 0) {
      throw new IllegalArgumentException("Subtask " + subtask + ", attempt " + attempt);
    }
  }
}
