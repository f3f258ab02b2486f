package io.millrace.graph;

import io.millrace.core.Bytes;
import io.millrace.core.id.VertexId;
import java.util.Objects;

/**
 * An exchange between two vertices.
 *
 * @param id its position in {@link JobGraph#edges()}
 * @param sourceOperator index in the source's chain of the operator whose records travel here
 * @param targetInput which input of the target's head they arrive at; a union has several edges
 *     with the same one
 * @param outputTag which side output of that operator travels here, empty for its main output
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

  /** An edge that carries an operator's main output. */
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
