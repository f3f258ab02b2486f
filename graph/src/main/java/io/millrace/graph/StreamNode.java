package io.millrace.graph;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Chaining;
import io.millrace.core.id.OperatorId;
import java.util.Objects;
import java.util.Optional;

/**
 * An operator of a program with all settings resolved.
 *
 * @param name as shown: {@code Source: text}, {@code map}, {@code Sink: print}
 * @param description shown in plans
 * @param line of the program that added it; empty if unknown
 */
public record StreamNode(
    OperatorId id,
    String name,
    OperatorSpec spec,
    int parallelism,
    int maxParallelism,
    String slotSharingGroup,
    Chaining chaining,
    String description,
    Optional<String> line) {
  public StreamNode {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(spec);
    Objects.requireNonNull(slotSharingGroup);
    Objects.requireNonNull(chaining);
    Objects.requireNonNull(description);
    Objects.requireNonNull(line);
  }

  /** A node that the program did not add itself. */
  StreamNode(
      OperatorId id,
      String name,
      OperatorSpec spec,
      int parallelism,
      int maxParallelism,
      String slotSharingGroup,
      Chaining chaining) {
    this(
        id,
        name,
        spec,
        parallelism,
        maxParallelism,
        slotSharingGroup,
        chaining,
        name,
        Optional.empty());
  }
}
