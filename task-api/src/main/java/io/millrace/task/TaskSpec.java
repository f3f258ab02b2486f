package io.millrace.task;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.VertexId;
import java.util.Objects;

/** One attempt to run one subtask. */
public record TaskSpec(VertexId vertex, int subtask, int attempt, ExecutionId execution) {
  public TaskSpec {
    Objects.requireNonNull(vertex);
    Objects.requireNonNull(execution);
    if (subtask < 0 || attempt < 0) {
      throw new IllegalArgumentException(
          "subtask and attempt must be >= 0, not " + subtask + " and " + attempt);
    }
  }
}
