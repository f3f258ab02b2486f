package io.millrace.api.program;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.serialization.Serializer;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One job of a program, as collected by the time of {@code execute}.
 *
 * @param transformations each after its inputs
 * @param configuration of the job: what the program set over what it was run with
 * @param serializers by the class whose objects they write
 * @param files that functions open by name
 */
public record Program(
    String name,
    List<Transformation> transformations,
    Configuration configuration,
    Map<Class<?>, Serializer<?>> serializers,
    List<CachedFile> files) {

  public Program {
    serializers = OrderedCopies.map(serializers);
    files = OrderedCopies.list(files);
    Objects.requireNonNull(name);
    transformations = OrderedCopies.list(transformations);
    Objects.requireNonNull(configuration);
    if (transformations.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Job '"
              + name
              + "' has nothing to execute: no source was added since the start or the last"
              + " execute. Add sources and sinks before you call execute.");
    }
    for (int i = 0; i < transformations.size(); i++) {
      for (int input : transformations.get(i).inputs()) {
        if (input < 0 || input >= i) {
          throw new IllegalArgumentException(
              "Transformation " + i + " of job '" + name + "' reads from " + input);
        }
      }
    }
    if (configuration.get(ExecutionOptions.RUNTIME_MODE) == RuntimeMode.BATCH) {
      transformations.forEach(Program::refuseUnbounded);
    }
  }

  /** A program without cached files, whose records need no serializers of its own. */
  public Program(String name, List<Transformation> transformations, Configuration configuration) {
    this(name, transformations, configuration, new LinkedHashMap<>(), new ArrayList<>());
  }

  /** The data sets that it keeps, or reads if an earlier job has kept them. */
  public List<DataSetId> dataSets() {
    List<DataSetId> dataSets = new ArrayList<>();
    for (Transformation transformation : transformations) {
      if (transformation instanceof Transformation.Operator operator
          && operator.spec() instanceof OperatorSpec.Cache cache) {
        dataSets.add(DataSetId.parse(cache.dataSet()));
      }
    }
    return dataSets;
  }

  /** Refuses a job without a sink, because it has no effect. */
  public void requireSink() {
    for (Transformation transformation : transformations) {
      if (transformation instanceof Transformation.Operator operator
          && (operator.spec() instanceof OperatorSpec.Sink
              || operator.spec() instanceof OperatorSpec.Collect
              || operator.spec() instanceof OperatorSpec.Cache)) {
        return;
      }
    }
    throw new MillraceException(
        ErrorKind.USER,
        "Job '"
            + name
            + "' has no sink, so its results would go nowhere. End a stream with print(), sinkTo(…)"
            + " or collect() before you call execute; sinkTo(new DiscardSink<>()) runs it for its"
            + " side effects alone.");
  }

  private static void refuseUnbounded(Transformation transformation) {
    if (transformation instanceof Transformation.Operator operator
        && operator.spec() instanceof OperatorSpec.Source source
        && !source.source().isBounded()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Source '"
              + operator.name()
              + "' never ends, so a job in batch mode would never give a result. Bound the source"
              + " or use streaming mode ("
              + ExecutionOptions.RUNTIME_MODE.key()
              + ").");
    }
  }
}
