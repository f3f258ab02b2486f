package io.millrace.dataplane.operator;

import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.RichFunction;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.dataplane.state.HeapKeyedStateBackend;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.store.StoredKeyedStateBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Creates the operator that runs a spec. */
public final class Operators {
  private Operators() {}

  /** Before the names of a function's keyed states if its operator has keyed state of its own. */
  private static final String FUNCTION_STATE = "function.";

  /** The rich functions in a spec. Sources, sinks and operators without a function have none. */
  public static List<RichFunction> richFunctions(OperatorSpec spec) {
    List<RichFunction> rich = new ArrayList<>();
    for (Object function : functions(spec)) {
      if (function instanceof RichFunction found) {
        rich.add(found);
      }
    }
    return rich;
  }

  private static List<Object> functions(OperatorSpec spec) {
    if (spec instanceof OperatorSpec.Map map) {
      return List.of(map.function());
    } else if (spec instanceof OperatorSpec.FlatMap flatMap) {
      return List.of(flatMap.function());
    } else if (spec instanceof OperatorSpec.Filter filter) {
      return List.of(filter.function());
    } else if (spec instanceof OperatorSpec.Reduce reduce) {
      return List.of(reduce.function());
    } else if (spec instanceof OperatorSpec.Aggregate aggregate) {
      return List.of(aggregate.function());
    } else if (spec instanceof OperatorSpec.Processing process) {
      return List.of(process.function());
    } else if (spec instanceof OperatorSpec.KeyedProcessing process) {
      return List.of(process.function());
    } else if (spec instanceof OperatorSpec.Keyed keyed) {
      return functions(keyed.operator());
    } else if (spec instanceof OperatorSpec.Async async) {
      return List.of(async.function());
    } else if (spec instanceof OperatorSpec.CoMap map) {
      return List.of(map.function());
    } else if (spec instanceof OperatorSpec.CoFlatMap flatMap) {
      return List.of(flatMap.function());
    } else if (spec instanceof OperatorSpec.CoProcessing process) {
      return List.of(process.function());
    } else if (spec instanceof OperatorSpec.KeyedCoProcessing process) {
      return List.of(process.function());
    } else if (spec instanceof OperatorSpec.KeyedCo keyed) {
      return functions(keyed.operator());
    } else if (spec instanceof OperatorSpec.BroadcastProcessing process) {
      return List.of(process.function());
    } else if (spec instanceof OperatorSpec.KeyedBroadcastProcessing process) {
      return List.of(process.function());
    } else if (spec instanceof OperatorSpec.Custom custom) {
      return List.of(custom.operator());
    } else if (spec instanceof OperatorSpec.KeyedCustom custom) {
      return List.of(custom.operator());
    } else if (spec instanceof OperatorSpec.Window window) {
      List<Object> both = new ArrayList<>();
      if (window.window().content() instanceof WindowSpec.Content.Reduced reduced) {
        both.add(reduced.function());
      } else if (window.window().content() instanceof WindowSpec.Content.Aggregated aggregated) {
        both.add(aggregated.function());
      }
      both.add(window.window().function());
      return both;
    } else if (spec instanceof OperatorSpec.Source
        || spec instanceof OperatorSpec.Enumerate
        || spec instanceof OperatorSpec.Sink
        || spec instanceof OperatorSpec.GlobalCommit
        || spec instanceof OperatorSpec.Timestamps
        || spec instanceof OperatorSpec.Collect
        || spec instanceof OperatorSpec.Cache
        || spec instanceof OperatorSpec.ReadCached) {
      return List.of();
    }
    throw unknown(spec);
  }

  /** The keyed state for the functions of an operator; empty if they cannot have any. */
  public static Optional<KeyedStateBackend> keyedState(OperatorSpec spec, OperatorContext context) {
    if (hasTimers(spec)
        || spec instanceof OperatorSpec.Keyed
        || spec instanceof OperatorSpec.KeyedCo) {
      return Optional.of(backend(context, ""));
    }
    return hasKeyedState(spec) && !richFunctions(spec).isEmpty()
        ? Optional.of(backend(context, FUNCTION_STATE))
        : Optional.empty();
  }

  private static KeyedStateBackend backend(OperatorContext context, String prefix) {
    TaskEnvironment task = context.task();
    return context.store().isPresent()
        ? new StoredKeyedStateBackend(context.store().get(), prefix)
        : new HeapKeyedStateBackend(task.valueCopier(), task.clock()::read, prefix);
  }

  /** Whether the function of an operator has timers; it may ask for keyed state at any time. */
  public static boolean hasTimers(OperatorSpec spec) {
    return spec instanceof OperatorSpec.KeyedProcessing
        || spec instanceof OperatorSpec.KeyedCoProcessing
        || spec instanceof OperatorSpec.KeyedBroadcastProcessing
        || spec instanceof OperatorSpec.KeyedCustom;
  }

  /** Whether an operator emits watermarks itself, so that it does not pass on those it gets. */
  public static boolean emitsWatermarks(OperatorSpec spec) {
    return spec instanceof OperatorSpec.Timestamps
        || spec instanceof OperatorSpec.Async
        || spec instanceof OperatorSpec.Custom
        || spec instanceof OperatorSpec.KeyedCustom;
  }

  /** Whether an operator or its function may have keyed state. */
  public static boolean hasKeyedState(OperatorSpec spec) {
    return hasTimers(spec)
        || spec instanceof OperatorSpec.Keyed
        || spec instanceof OperatorSpec.KeyedCo
        || spec instanceof OperatorSpec.Reduce
        || spec instanceof OperatorSpec.Aggregate
        || spec instanceof OperatorSpec.Window;
  }

  /**
   * Opens an operator. Package {@code window} opens {@link OperatorSpec.Window}.
   *
   * @param state the keyed state of the function, empty if the function has none
   */
  public static StreamOperator open(
      OperatorContext context,
      OperatorSpec spec,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> state)
      throws Exception {
    TaskEnvironment task = context.task();
    StreamOperator next = outputs.main();
    if (spec instanceof OperatorSpec.Source source) {
      return new SourceOperator(context, source.source(), outputs);
    } else if (spec instanceof OperatorSpec.Enumerate enumerate) {
      return new EnumeratorOperator(context, enumerate.source(), readers(next), next);
    } else if (spec instanceof OperatorSpec.ReadCached read) {
      return new SourceOperator(context, new CachedPartitionSource(task, read), outputs);
    } else if (spec instanceof OperatorSpec.Cache cache) {
      return new CacheOperator(context, DataSetId.parse(cache.dataSet()), next);
    } else if (spec instanceof OperatorSpec.Map map) {
      return new MapOperator(context, map.function(), next);
    } else if (spec instanceof OperatorSpec.FlatMap flatMap) {
      return new FlatMapOperator(context, flatMap.function(), next);
    } else if (spec instanceof OperatorSpec.Filter filter) {
      return new FilterOperator(context, filter.function(), next);
    } else if (spec instanceof OperatorSpec.Reduce reduce) {
      return withState(
          context,
          reduce.key(),
          state,
          context.store().isPresent()
              ? StoredAggregateOperator.reduce(context, reduce, next)
              : new KeyedAggregateOperator.Reduce(
                  context, reduce.key(), reduce.function(), reduce.finalOnly(), next));
    } else if (spec instanceof OperatorSpec.Aggregate aggregate) {
      return withState(
          context,
          aggregate.key(),
          state,
          context.store().isPresent()
              ? StoredAggregateOperator.aggregate(context, aggregate, next)
              : KeyedAggregateOperator.aggregate(context, aggregate, next));
    } else if (spec instanceof OperatorSpec.Keyed keyed) {
      StreamOperator operator = open(context, keyed.operator(), outputs, Optional.empty());
      return state.isEmpty()
          ? operator
          : new KeyedStateOperator(context, keyed.key(), state.get(), operator);
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
    } else if (spec instanceof OperatorSpec.Async async) {
      return new AsyncOperator(context, async, outputs);
    } else if (spec instanceof OperatorSpec.Custom custom) {
      return UnkeyedCustomOperator.open(context, custom.operator(), outputs);
    } else if (spec instanceof OperatorSpec.KeyedCustom custom) {
      return KeyedCustomOperator.open(context, custom, state.orElseThrow(), outputs);
    } else if (isTwoInput(spec)) {
      return openTwoInputs(context, spec, outputs, state);
    } else if (spec instanceof OperatorSpec.Sink sink) {
      return SinkOperator.open(context, sink.sink(), next);
    } else if (spec instanceof OperatorSpec.GlobalCommit commit) {
      return GlobalCommitOperator.open(context, commit.sink());
    } else if (spec instanceof OperatorSpec.Collect collect) {
      return new CollectOperator(context, collect.name());
    }
    throw unknown(spec);
  }

  private static boolean isTwoInput(OperatorSpec spec) {
    return spec instanceof OperatorSpec.CoMap
        || spec instanceof OperatorSpec.CoFlatMap
        || spec instanceof OperatorSpec.CoProcessing
        || spec instanceof OperatorSpec.KeyedCoProcessing
        || spec instanceof OperatorSpec.KeyedCo
        || spec instanceof OperatorSpec.BroadcastProcessing
        || spec instanceof OperatorSpec.KeyedBroadcastProcessing;
  }

  private static StreamOperator openTwoInputs(
      OperatorContext context,
      OperatorSpec spec,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> state) {
    if (spec instanceof OperatorSpec.CoMap map) {
      return new CoMapOperator(context, map.function(), outputs.main());
    } else if (spec instanceof OperatorSpec.CoFlatMap flatMap) {
      return new CoFlatMapOperator(context, flatMap.function(), outputs.main());
    } else if (spec instanceof OperatorSpec.CoProcessing process) {
      return new CoProcessOperator(context, process.function(), outputs);
    } else if (spec instanceof OperatorSpec.KeyedCoProcessing process) {
      return new KeyedCoProcessOperator(context, process, state.orElseThrow(), outputs);
    } else if (spec instanceof OperatorSpec.KeyedCo keyed) {
      StreamOperator operator = openTwoInputs(context, keyed.operator(), outputs, Optional.empty());
      return state.isEmpty()
          ? operator
          : new KeyedCoStateOperator(context, keyed.first(), keyed.second(), state.get(), operator);
    } else if (spec instanceof OperatorSpec.BroadcastProcessing process) {
      return new BroadcastProcessOperator(context, process, outputs);
    } else if (spec instanceof OperatorSpec.KeyedBroadcastProcessing process) {
      return new KeyedBroadcastProcessOperator(context, process, state.orElseThrow(), outputs);
    }
    throw unknown(spec);
  }

  private static <A extends StreamOperator & KeyedAggregation> StreamOperator withState(
      OperatorContext context,
      KeySelector<Object, Object> key,
      Optional<KeyedStateBackend> state,
      A operator) {
    if (state.isEmpty()) {
      return operator;
    }
    operator.functionState(state.get());
    return new KeyedStateOperator(context, key, state.get(), operator);
  }

  /** The number of readers behind an enumerator, which are never in its chain. */
  private static int readers(StreamOperator next) {
    if (next instanceof TaskOutput output) {
      return output.consumers();
    }
    throw new MillraceException(ErrorKind.BUG, "An enumerator has no readers");
  }

  private static MillraceException unknown(OperatorSpec spec) {
    return new MillraceException(
        ErrorKind.BUG, "The data plane has no operator for " + spec.getClass().getName());
  }
}
