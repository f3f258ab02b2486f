package io.millrace.graph;

import io.millrace.core.Bytes;
import io.millrace.core.id.VertexId;
import java.util.Objects;

/**
 * An edge between two vertices.
 *
 * @param id its position in {@link JobGraph#edges()}
 * @param sourceOperator index of the producing operator in the chain of the source
 * @param targetInput the input of the target's head; the edges of a union have the same one
 * @param outputTag the side output that it carries, empty for the main output
 * @param selector the serialised key selector of a hash edge, the serialised {@link
 *     CustomPartitioning} of a custom one, else empty
 */
public record JobEdge(
    int id,
    VertexId source,
    int sourceOperator,
    VertexId target,
    int targetInput,
    String outputTag,
    Partitioning partitioning,
    Bytes selector) {
  public JobEdge {
    Objects.requireNonNull(outputTag);
    Objects.requireNonNull(source);
    Objects.requireNonNull(target);
    Objects.requireNonNull(partitioning);
    Objects.requireNonNull(selector);
  }

  /** An edge for the main output of an operator. */
  public JobEdge(
      int id,
      VertexId source,
      int sourceOperator,
      VertexId target,
      int targetInput,
      Partitioning partitioning,
      Bytes selector) {
    this(id, source, sourceOperator, target, targetInput, "", partitioning, selector);
  }

  JobEdge withoutFunctions() {
    return new JobEdge(
        id, source, sourceOperator, target, targetInput, outputTag, partitioning, Bytes.EMPTY);
  }
}
