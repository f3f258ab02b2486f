package io.millrace.api;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.OperatorSettings;
import io.millrace.api.program.Routing;
import io.millrace.api.program.Transformation;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A transformation before {@code execute}: its name and settings can change until {@code execute}
 * takes a snapshot. It holds its inputs, so that a stream can be used again in the next job
 * although {@code execute} has cleared the list of transformations.
 */
final class PendingTransformation {
  /** The kind of transformation; the flag means that aggregations emit only at the end. */
  sealed interface Kind {
    record Operator(Function<Boolean, OperatorSpec> spec) implements Kind {}

    record Union() implements Kind {}

    record Route(Routing routing) implements Kind {}

    record SideOutput(String tag) implements Kind {}
  }

  private final StreamEnvironment environment;
  private final int number;
  private final Kind kind;
  private final List<PendingTransformation> inputs;
  private final Optional<String> line = ProgramLine.current();
  private String name;
  private OperatorSettings settings = OperatorSettings.UNSET;

  PendingTransformation(
      StreamEnvironment environment,
      int number,
      String name,
      Kind kind,
      List<PendingTransformation> inputs) {
    this.environment = environment;
    this.number = number;
    this.name = name;
    this.kind = kind;
    this.inputs = List.copyOf(inputs);
  }

  StreamEnvironment environment() {
    return environment;
  }

  int number() {
    return number;
  }

  List<PendingTransformation> inputs() {
    return inputs;
  }

  void rename(String name) {
    requireOperator("name");
    if (name == null || name.isBlank()) {
      throw new MillraceException(
          ErrorKind.USER, "The new name of operator '" + this.name + "' is empty.");
    }
    this.name = name;
  }

  void change(String what, UnaryOperator<OperatorSettings> change) {
    requireOperator(what);
    settings = change.apply(settings);
  }

  Transformation snapshot(Function<PendingTransformation, Integer> positionOf, boolean finalOnly) {
    List<Integer> positions = inputs.stream().map(positionOf).toList();
    if (kind instanceof Kind.Operator operator) {
      return new Transformation.Operator(
          name, operator.spec().apply(finalOnly), positions, settings, line);
    } else if (kind instanceof Kind.Route route) {
      return new Transformation.Route(positions.get(0), route.routing());
    } else if (kind instanceof Kind.SideOutput sideOutput) {
      return new Transformation.SideOutput(positions.get(0), sideOutput.tag());
    } else if (kind instanceof Kind.Union) {
      return new Transformation.Union(positions);
    }
    throw new IllegalStateException("Unknown kind of transformation " + kind);
  }

  /** Refuses a stream of another environment. */
  void requireSameEnvironment(PendingTransformation other, String call) {
    if (other.environment != environment) {
      throw new MillraceException(
          ErrorKind.USER,
          "These streams come from two environments, and a "
              + call
              + " is part of one job. Make both from the same StreamEnvironment.");
    }
  }

  void requireOperator(String what) {
    if (!(kind instanceof Kind.Operator)) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + name
              + "' only says which way records go and runs nowhere, so it has no "
              + what
              + ". Set it on an operator: right after map, filter, sinkTo and the like.");
    }
  }
}
