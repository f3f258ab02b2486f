package io.millrace.task.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A completed checkpoint or savepoint as it is stored.
 *
 * @param timestamp when it was triggered, in milliseconds since the epoch
 */
public record CheckpointMetadata(
    JobId job,
    long checkpoint,
    long timestamp,
    CheckpointRequest.Type type,
    List<VertexState> vertices) {
  public CheckpointMetadata {
    Objects.requireNonNull(job);
    Objects.requireNonNull(type);
    vertices = OrderedCopies.list(vertices);
  }

  /** The state of an operator, with the vertex that it ran in. */
  public Optional<VertexState> vertexOf(OperatorId operator) {
    return vertices.stream()
        .filter(vertex -> vertex.operators().stream().anyMatch(info -> info.id().equals(operator)))
        .findFirst();
  }

  public long size() {
    return vertices.stream()
        .flatMap(vertex -> vertex.subtasks().stream())
        .mapToLong(SubtaskState::size)
        .sum();
  }

  /**
   * The state of a vertex.
   *
   * @param operators the chain
   * @param subtasks by index; fewer than the parallelism only where all subtasks had finished
   */
  public record VertexState(
      VertexId vertex,
      String name,
      int parallelism,
      int maxParallelism,
      List<OperatorInfo> operators,
      List<SubtaskState> subtasks) {
    public VertexState {
      Objects.requireNonNull(vertex);
      Objects.requireNonNull(name);
      operators = OrderedCopies.list(operators);
      subtasks = OrderedCopies.list(subtasks);
      if (parallelism < 1 || maxParallelism < parallelism || subtasks.size() > parallelism) {
        throw new IllegalArgumentException(
            "parallelism %d, max parallelism %d, %d subtasks"
                .formatted(parallelism, maxParallelism, subtasks.size()));
      }
    }

    /** Whether every subtask had finished when the checkpoint was taken. */
    public boolean isFinished() {
      return subtasks.stream().allMatch(SubtaskState::finished);
    }
  }

  /** An operator of a chain. */
  public record OperatorInfo(OperatorId id, String name) {
    public OperatorInfo {
      Objects.requireNonNull(id);
      Objects.requireNonNull(name);
    }
  }

  /**
   * The state of one subtask.
   *
   * @param finished whether it had finished when the checkpoint was taken
   */
  public record SubtaskState(
      boolean finished, List<OperatorSnapshot> operators, List<TaskSnapshot.InFlight> inFlight) {
    public static final SubtaskState FINISHED = new SubtaskState(true, List.of(), List.of());

    public SubtaskState {
      operators = OrderedCopies.list(operators);
      inFlight = OrderedCopies.list(inFlight);
    }

    public long size() {
      return operators.stream().mapToLong(OperatorSnapshot::size).sum()
          + inFlight.stream().mapToLong(records -> records.handle().size()).sum();
    }
  }
}
