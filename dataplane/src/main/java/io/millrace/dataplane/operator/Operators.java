package io.millrace.dataplane.operator;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.dataplane.state.HeapKeyedStateBackend;
import java.util.Optional;

/** Creates the operator that runs a spec. */
public final class Operators {
  private Operators() {}

  /** The user function in a spec; the spec itself for sources, sinks and operators without one. */
  public static Object function(OperatorSpec spec) {
    if (spec instanceof OperatorSpec.Map map) {
      return map.function();
    } else if (spec instanceof OperatorSpec.FlatMap flatMap) {
      return flatMap.function();
    } else if (spec instanceof OperatorSpec.Filter filter) {
      return filter.function();
    } else if (spec instanceof OperatorSpec.Reduce reduce) {
      return reduce.function();
    } else if (spec instanceof OperatorSpec.Aggregate aggregate) {
      return aggregate.function();
    } else if (spec instanceof OperatorSpec.Processing process) {
      return process.function();
    } else if (spec instanceof OperatorSpec.KeyedProcessing process) {
      return process.function();
    } else if (spec instanceof OperatorSpec.Window window) {
      return window.window().function();
    } else if (spec instanceof OperatorSpec.Source
        || spec instanceof OperatorSpec.Sink
        || spec instanceof OperatorSpec.Timestamps
        || spec instanceof OperatorSpec.Collect
        || spec instanceof OperatorSpec.Cache
        || spec instanceof OperatorSpec.ReadCached) {
      return spec;
    }
    throw unknown(spec);
  }

  /**
   * Opens an operator. Package {@code window} opens {@link OperatorSpec.Window}.
   *
   * @param state the keyed state of an {@link OperatorSpec.KeyedProcessing}
   */
  public static StreamOperator open(
      OperatorContext context,
      OperatorSpec spec,
      OperatorOutputs outputs,
      Optional<HeapKeyedStateBackend> state)
      throws Exception {
    TaskEnvironment task = context.task();
    StreamOperator next = outputs.main();
    if (spec instanceof OperatorSpec.Source source) {
      return new SourceOperator(context, source.source(), next);
    } else if (spec instanceof OperatorSpec.ReadCached read) {
      return new SourceOperator(context, new CachedPartitionSource(task, read), next);
    } else if (spec instanceof OperatorSpec.Cache cache) {
      return new CacheOperator(context, DataSetId.parse(cache.dataSet()), next);
    } else if (spec instanceof OperatorSpec.Map map) {
      return new MapOperator(context, map.function(), next);
    } else if (spec instanceof OperatorSpec.FlatMap flatMap) {
      return new FlatMapOperator(context, flatMap.function(), next);
    } else if (spec instanceof OperatorSpec.Filter filter) {
      return new FilterOperator(context, filter.function(), next);
    } else if (spec instanceof OperatorSpec.Reduce reduce) {
      return new KeyedAggregateOperator.Reduce(
          context, reduce.key(), reduce.function(), reduce.finalOnly(), next);
    } else if (spec instanceof OperatorSpec.Aggregate aggregate) {
      return KeyedAggregateOperator.aggregate(context, aggregate, next);
    } else if (spec instanceof OperatorSpec.Timestamps timestamps) {
      return new TimestampOperator(
          context,
          timestamps,
          task.deployment().graph().configuration().get(PipelineOptions.AUTO_WATERMARK_INTERVAL),
          outputs);
    } else if (spec instanceof OperatorSpec.Processing process) {
      return new ProcessOperator(context, process.function(), outputs);
    } else if (spec instanceof OperatorSpec.KeyedProcessing process) {
      return new KeyedProcessOperator(context, process, state.orElseThrow(), outputs);
    } else if (spec instanceof OperatorSpec.Sink sink) {
      return SinkOperator.open(context, sink.sink());
    } else if (spec instanceof OperatorSpec.Collect collect) {
      return new CollectOperator(context, collect.name());
    }
    throw unknown(spec);
  }

  private static MillraceException unknown(OperatorSpec spec) {
    return new MillraceException(
        ErrorKind.BUG, "The data plane has no operator for " + spec.getClass().getName());
  }
}
