package io.millrace.graph;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Chaining;
import io.millrace.core.id.OperatorId;
import java.util.Objects;

/**
 * An operator of a program with all settings resolved.
 *
 * @param name as shown: {@code Source: text}, {@code map}, {@code Sink: print}
 */
public record StreamNode(
    OperatorId id,
    String name,
    OperatorSpec spec,
    int parallelism,
    int maxParallelism,
    String slotSharingGroup,
    Chaining chaining) {
  public StreamNode {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(spec);
    Objects.requireNonNull(slotSharingGroup);
    Objects.requireNonNull(chaining);
  }
}
