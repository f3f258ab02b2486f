package io.millrace.graph;

import java.io.Serializable;
import java.util.Objects;
import java.util.Optional;

/**
 * An edge between two operators.
 *
 * @param source position of the producing node in {@link StreamGraph#nodes()}
 * @param target position of the consuming node
 * @param targetInput the input of the consuming node: 0, or 1 for the second of two
 * @param outputTag the side output of the producer that it carries, empty for the main output
 * @param selector the key selector of a hash edge, the {@link CustomPartitioning} of a custom one
 */
public record StreamEdge(
    int source,
    int target,
    int targetInput,
    String outputTag,
    Partitioning partitioning,
    Optional<Serializable> selector) {
  public StreamEdge {
    Objects.requireNonNull(outputTag);
    Objects.requireNonNull(partitioning);
    Objects.requireNonNull(selector);
  }
}
