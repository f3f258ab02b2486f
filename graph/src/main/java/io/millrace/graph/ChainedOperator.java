package io.millrace.graph;

import io.millrace.core.Bytes;
import io.millrace.core.id.OperatorId;
import java.util.Objects;

/**
 * An operator in a chain.
 *
 * @param input index in the chain of the operator it reads from, -1 for the head
 * @param inputTag which side output of that operator it reads, empty for its main output
 * @param spec a serialised {@link io.millrace.api.operator.OperatorSpec}, opened only by tasks
 */
public record ChainedOperator(OperatorId id, String name, int input, String inputTag, Bytes spec) {
  public ChainedOperator {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(inputTag);
    Objects.requireNonNull(spec);
  }

  /** An operator that reads the main output of another, or is the head. */
  public ChainedOperator(OperatorId id, String name, int input, Bytes spec) {
    this(id, name, input, "", spec);
  }
}
