package io.millrace.api;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.OperatorSettings;
import io.millrace.api.program.Routing;
import io.millrace.api.program.Transformation;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A transformation while its program is still being written: name and settings change until {@code
 * execute} takes a snapshot. Nodes hold their inputs, so that a stream may be used again in the
 * next job although {@code execute} has cleared the list.
 */
final class PendingTransformation {
  /** What the node will become; the flag says whether aggregations emit only at the end. */
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
    if (kind instanceof Kind.Operator operate) {
      return new Transformation.Operator(
          name, operate.spec().apply(finalOnly), positions, settings);
    }
    if (kind instanceof Kind.Route direct) {
      return new Transformation.Route(positions.get(0), direct.routing());
    }
    if (kind instanceof Kind.SideOutput tagged) {
      return new Transformation.SideOutput(positions.get(0), tagged.tag());
    }
    return new Transformation.Union(positions);
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
