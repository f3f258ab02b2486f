package io.millrace.graph;

import io.millrace.core.Bytes;
import io.millrace.core.id.OperatorId;
import java.util.Objects;

/**
 * An operator in a chain.
 *
 * @param input index of its input in the chain, -1 for the head
 * @param inputTag the side output of the input that it reads, empty for the main output
 * @param spec a serialised {@link io.millrace.api.operator.OperatorSpec}, deserialised only by
 *     tasks
 * @param description shown in plans
 */
public record ChainedOperator(
    OperatorId id, String name, int input, String inputTag, Bytes spec, String description) {
  public ChainedOperator {
    Objects.requireNonNull(description);
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(inputTag);
    Objects.requireNonNull(spec);
  }

  /** An operator that is described by its name. */
  public ChainedOperator(OperatorId id, String name, int input, String inputTag, Bytes spec) {
    this(id, name, input, inputTag, spec, name);
  }

  /** An operator that reads the main output of another, or is the head. */
  public ChainedOperator(OperatorId id, String name, int input, Bytes spec) {
    this(id, name, input, "", spec);
  }
}
