package io.millrace.task.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.Partitioning;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A completed checkpoint or savepoint as it is stored.
 *
 * @param timestamp when it was triggered, in milliseconds since the epoch
 * @param edges the edges of the job by id, if records are in flight on one of them; else empty
 */
public record CheckpointMetadata(
    JobId job,
    long checkpoint,
    long timestamp,
    CheckpointRequest.Type type,
    List<VertexState> vertices,
    List<EdgeInfo> edges) {
  public CheckpointMetadata {
    Objects.requireNonNull(job);
    Objects.requireNonNull(type);
    vertices = OrderedCopies.list(vertices);
    edges = OrderedCopies.list(edges);
  }

  /** The metadata of a checkpoint that no records are in flight in. */
  public CheckpointMetadata(
      JobId job,
      long checkpoint,
      long timestamp,
      CheckpointRequest.Type type,
      List<VertexState> vertices) {
    this(job, checkpoint, timestamp, type, vertices, List.of());
  }

  /** The state of an operator, with the vertex that it ran in. */
  public Optional<VertexState> vertexOf(OperatorId operator) {
    return vertices.stream()
        .filter(vertex -> vertex.operators().stream().anyMatch(info -> info.id().equals(operator)))
        .findFirst();
  }

  /** The names of the files in the shared directory that the checkpoint needs. */
  public Set<String> sharedFiles() {
    Set<String> names = new TreeSet<>();
    vertices.stream()
        .flatMap(vertex -> vertex.subtasks().stream())
        .flatMap(subtask -> subtask.operators().stream())
        .flatMap(operator -> operator.keyed().stream())
        .flatMap(keyed -> keyed.files().stream())
        .filter(file -> file.directory() == StateHandle.Directory.SHARED)
        .forEach(file -> names.add(file.file()));
    return names;
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

  /**
   * An edge between two vertices.
   *
   * @param source the producing operator
   * @param outputTag the side output that the edge carries, empty for the main output
   * @param target the head of the consuming chain
   */
  public record EdgeInfo(
      OperatorId source, String outputTag, OperatorId target, Partitioning partitioning) {
    public EdgeInfo {
      Objects.requireNonNull(source);
      Objects.requireNonNull(outputTag);
      Objects.requireNonNull(target);
      Objects.requireNonNull(partitioning);
    }

    /** The edges of a job by id. */
    public static List<EdgeInfo> of(JobGraph job) {
      return job.edges().stream().map(edge -> of(job, edge)).toList();
    }

    static EdgeInfo of(JobGraph job, JobEdge edge) {
      return new EdgeInfo(
          job.vertex(edge.source()).operators().get(edge.sourceOperator()).id(),
          edge.outputTag(),
          job.vertex(edge.target()).operators().get(0).id(),
          edge.partitioning());
    }

    /** Whether an edge connects the same operators, however it distributes records. */
    boolean connectsAs(EdgeInfo other) {
      return source.equals(other.source)
          && outputTag.equals(other.outputTag)
          && target.equals(other.target);
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
   * @param finished whether it had finished when the checkpoint was taken, or had only output left
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
