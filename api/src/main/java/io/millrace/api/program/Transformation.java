package io.millrace.api.program;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.OrderedCopies;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What one API call added to a program. Inputs are positions in {@link Program#transformations()},
 * always smaller than the transformation's own.
 */
public sealed interface Transformation {
  List<Integer> inputs();

  /**
   * Something that runs.
   *
   * @param line of the program that added it, such as {@code Orders.java:42}; empty if unknown
   */
  record Operator(
      String name,
      OperatorSpec spec,
      List<Integer> inputs,
      OperatorSettings settings,
      Optional<String> line)
      implements Transformation {
    public Operator {
      Objects.requireNonNull(line);
      Objects.requireNonNull(name);
      Objects.requireNonNull(spec);
      inputs = OrderedCopies.list(inputs);
      Objects.requireNonNull(settings);
    }

    /** An operator whose line is unknown. */
    public Operator(
        String name, OperatorSpec spec, List<Integer> inputs, OperatorSettings settings) {
      this(name, spec, inputs, settings, Optional.empty());
    }
  }

  /** The records of several streams as one; runs nowhere, it becomes edges. */
  record Union(List<Integer> inputs) implements Transformation {
    public Union {
      inputs = OrderedCopies.list(inputs);
    }
  }

  /** What an operator emits under a tag; runs nowhere, it becomes edges. */
  record SideOutput(int input, String tag) implements Transformation {
    public SideOutput {
      Objects.requireNonNull(tag);
    }

    @Override
    public List<Integer> inputs() {
      return List.of(input);
    }
  }

  /** A choice of routing for the consumers that follow; runs nowhere, it becomes edges. */
  record Route(int input, Routing routing) implements Transformation {
    public Route {
      Objects.requireNonNull(routing);
    }

    @Override
    public List<Integer> inputs() {
      return List.of(input);
    }
  }
}
