package io.millrace.graph;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Program;
import io.millrace.api.program.Transformation;
import io.millrace.core.id.DataSetId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Replaces cached operators by readers of the cached data sets. */
final class CachedResultRewriter {
  private final List<Transformation> transformations = new ArrayList<>();
  private final Program program;

  CachedResultRewriter(Program program, List<CachedDataSet> known) {
    this.program = program;
    Map<DataSetId, CachedDataSet> byId = new HashMap<>();
    known.forEach(dataSet -> byId.put(dataSet.id(), dataSet));
    for (Transformation transformation : program.transformations()) {
      transformations.add(
          transformation instanceof Transformation.Operator operator
              ? replaced(operator, byId)
              : transformation);
    }
  }

  private static Transformation replaced(
      Transformation.Operator operator, Map<DataSetId, CachedDataSet> known) {
    if (operator.spec() instanceof OperatorSpec.Cache cache) {
      CachedDataSet dataSet = known.get(DataSetId.parse(cache.dataSet()));
      if (dataSet != null) {
        return new Transformation.Operator(
            operator.name(),
            new OperatorSpec.ReadCached(
                cache.dataSet(), dataSet.producer().toString(), dataSet.term(), dataSet.places()),
            List.of(),
            operator.settings(),
            operator.line());
      }
    }
    return operator;
  }

  /** The rewritten program without operators whose consumers were all replaced. */
  Program program() {
    boolean[] read = consumed(program.transformations());
    boolean[] wanted = new boolean[transformations.size()];
    for (int i = wanted.length - 1; i >= 0; i--) {
      wanted[i] |= !read[i];
      if (wanted[i]) {
        transformations.get(i).inputs().forEach(input -> wanted[input] = true);
      }
    }
    int[] position = new int[wanted.length];
    List<Transformation> left = new ArrayList<>();
    for (int i = 0; i < wanted.length; i++) {
      position[i] = left.size();
      if (wanted[i]) {
        left.add(moved(transformations.get(i), position));
      }
    }
    return new Program(
        program.name(), left, program.configuration(), program.serializers(), program.files());
  }

  private static boolean[] consumed(List<Transformation> transformations) {
    boolean[] consumed = new boolean[transformations.size()];
    transformations.forEach(one -> one.inputs().forEach(input -> consumed[input] = true));
    return consumed;
  }

  private static Transformation moved(Transformation transformation, int[] position) {
    List<Integer> inputs = transformation.inputs().stream().map(input -> position[input]).toList();
    if (transformation instanceof Transformation.Operator operator) {
      return new Transformation.Operator(
          operator.name(), operator.spec(), inputs, operator.settings(), operator.line());
    } else if (transformation instanceof Transformation.Route route) {
      return new Transformation.Route(inputs.get(0), route.routing());
    } else if (transformation instanceof Transformation.SideOutput side) {
      return new Transformation.SideOutput(inputs.get(0), side.tag());
    } else if (transformation instanceof Transformation.Union) {
      return new Transformation.Union(inputs);
    }
    throw new IllegalStateException("Unknown transformation " + transformation);
  }
}
