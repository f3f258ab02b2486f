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
final class Node {
  /** What the node will become; the flag says whether aggregations emit only at the end. */
  sealed interface Step {
    record Operate(Function<Boolean, OperatorSpec> spec) implements Step {}

    record Unite() implements Step {}

    record Direct(Routing routing) implements Step {}

    record Tagged(String tag) implements Step {}
  }

  private final StreamEnvironment environment;
  private final int number;
  private final Step step;
  private final List<Node> inputs;
  private String name;
  private OperatorSettings settings = OperatorSettings.UNSET;

  Node(StreamEnvironment environment, int number, String name, Step step, List<Node> inputs) {
    this.environment = environment;
    this.number = number;
    this.name = name;
    this.step = step;
    this.inputs = List.copyOf(inputs);
  }

  StreamEnvironment environment() {
    return environment;
  }

  int number() {
    return number;
  }

  List<Node> inputs() {
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

  Transformation snapshot(Function<Node, Integer> positionOf, boolean finalOnly) {
    List<Integer> positions = inputs.stream().map(positionOf).toList();
    if (step instanceof Step.Operate operate) {
      return new Transformation.Operator(
          name, operate.spec().apply(finalOnly), positions, settings);
    }
    if (step instanceof Step.Direct direct) {
      return new Transformation.Route(positions.get(0), direct.routing());
    }
    if (step instanceof Step.Tagged tagged) {
      return new Transformation.SideOutput(positions.get(0), tagged.tag());
    }
    return new Transformation.Union(positions);
  }

  void requireOperator(String what) {
    if (!(step instanceof Step.Operate)) {
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
