package io.millrace.dataplane;

import io.millrace.api.function.RichFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.source.SourceReader;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.dataplane.state.HeapKeyedStateBackend;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operators of a task, opened and joined; index 0 is the head. Lives in the task's step. */
final class OperatorChain {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorChain.class);

  private final Task task;
  private final JobVertex vertex;
  private final StreamOperator[] operators;
  private final RichFunction[] functions;
  private final List<TaskOutput> taskOutputs = new ArrayList<>();
  private final List<TimestampOperator> timestampOperators = new ArrayList<>();
  private WatermarkTargets watermarkTargets;

  /** The head, if it is one. */
  private TimedKeyedOperator keyed;

  /** The head, if it is one. */
  private SourceOperator source;

  private int ending;

  /** Makes the empty chain; what {@link #open} has opened is closed even if it fails half way. */
  OperatorChain(Task task, JobVertex vertex) {
    this.task = task;
    this.vertex = vertex;
    this.operators = new StreamOperator[vertex.operators().size()];
    this.functions = new RichFunction[operators.length];
  }

  /**
   * Opens all operators, the last one first, because each needs what it feeds.
   *
   * @param outputs the edges that leave the task, in the order of the graph
   */
  void open(List<RecordWriter> outputs) {
    taskOutputs.addAll(outputs);
    ChainWiring wiring = new ChainWiring(vertex, operators, outputs, task.eventTime());
    for (int i = operators.length - 1; i >= 0; i--) {
      ChainedOperator operator = vertex.operators().get(i);
      OperatorContext context = new OperatorContext(task, operator.name());
      try {
        OperatorSpec spec = (OperatorSpec) task.deployment().open(operator.spec());
        Optional<HeapKeyedStateBackend> store =
            spec instanceof OperatorSpec.KeyedProcessing
                ? Optional.of(new HeapKeyedStateBackend())
                : Optional.empty();
        if (function(spec) instanceof RichFunction function) {
          // Closed also if this fails half way.
          functions[i] = function;
          function.open(
              new OperatorRuntimeContext(task, operator.name(), vertex.parallelism(), store));
        }
        wiring.cut(i, spec instanceof OperatorSpec.Timestamps);
        operators[i] = open(context, spec, wiring, i, store);
      } catch (Throwable thrown) {
        throw task.failed(operator.name(), thrown);
      }
    }
    watermarkTargets = wiring.incoming();
    keyed = operators[0] instanceof TimedKeyedOperator head ? head : null;
    source = operators[0] instanceof SourceOperator reading ? reading : null;
  }

  /** The user function in an operator; sources and sinks are opened in their own ways. */
  private static Object function(OperatorSpec spec) {
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
    }
    return spec;
  }

  private StreamOperator open(
      OperatorContext context,
      OperatorSpec spec,
      ChainWiring wiring,
      int index,
      Optional<HeapKeyedStateBackend> store)
      throws Exception {
    StreamOperator next = wiring.mainOf(index);
    if (spec instanceof OperatorSpec.Source source) {
      return new SourceOperator(context, source.source()::open, vertex.parallelism(), next);
    } else if (spec instanceof OperatorSpec.ReadCached read) {
      return new SourceOperator(
          context,
          reader -> new CachedPartitionReader(task, read, reader),
          vertex.parallelism(),
          next);
    } else if (spec instanceof OperatorSpec.Cache cache) {
      return new CacheOperator(
          context, DataSetId.parse(cache.dataSet()), vertex.parallelism(), next);
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
      Duration interval =
          task.deployment().graph().configuration().get(Options.AUTO_WATERMARK_INTERVAL);
      TimestampOperator assigner =
          new TimestampOperator(
              context, timestamps, interval, next, wiring.watermarkTargetsOf(index));
      timestampOperators.add(assigner);
      return assigner;
    } else if (spec instanceof OperatorSpec.Processing process) {
      return new ProcessOperator(context, process.function(), wiring.outputsOf(task, index));
    } else if (spec instanceof OperatorSpec.KeyedProcessing process) {
      return new KeyedProcessOperator(
          context, process, store.orElseThrow(), wiring.outputsOf(task, index));
    } else if (spec instanceof OperatorSpec.Window window) {
      return WindowOperator.open(context, window, wiring.outputsOf(task, index));
    } else if (spec instanceof OperatorSpec.Sink sink) {
      SinkContext sinkContext =
          new SinkContext(
              task.subtask(),
              vertex.parallelism(),
              task.spec().attempt(),
              task.deployment().files());
      return new SinkOperator(context, sink.sink().open(sinkContext));
    } else if (spec instanceof OperatorSpec.Collect collect) {
      CollectOperator collecting = new CollectOperator(context, collect.name());
      taskOutputs.add(collecting);
      return collecting;
    }
    throw new MillraceException(ErrorKind.BUG, "No operator runs " + spec.getClass().getName());
  }

  StreamOperator head() {
    return operators[0];
  }

  boolean isSource() {
    return source != null;
  }

  /** Where what the chain is working on comes from, if it is the source that feeds it now. */
  Optional<String> position() {
    return source == null ? Optional.empty() : source.position();
  }

  SourceReader.Status poll(int limit) {
    return source.poll(limit);
  }

  // --- time

  /** Event time has come to this point; to be called again until it returns true. */
  boolean eventTime(long watermark) {
    if (keyed != null && !keyed.eventTime(watermark)) {
      return false;
    }
    watermarkTargets.watermark(watermark);
    return true;
  }

  void idle(boolean idle) {
    watermarkTargets.idle(idle);
  }

  /** Whether some operator may want to know the processing time. */
  boolean isTimed() {
    return keyed != null || !timestampOperators.isEmpty();
  }

  /** Processing time has come to this point; to be called again until it returns true. */
  boolean processingTime(long now) {
    return keyed == null || keyed.nextProcessingTime() > now || keyed.processingTime(now);
  }

  /** Asks generators of watermarks if it is time; returns in how many nanoseconds to ask again. */
  long emitPeriodicWatermarks(long nanoTime) {
    long wait = Long.MAX_VALUE;
    for (int i = 0; i < timestampOperators.size(); i++) {
      wait = Math.min(wait, timestampOperators.get(i).emitPeriodicWatermark(nanoTime));
    }
    return wait;
  }

  /** When the next processing-time timer is due, {@link Long#MAX_VALUE} for never. */
  long nextProcessingTime() {
    return keyed == null ? Long.MAX_VALUE : keyed.nextProcessingTime();
  }

  // --- outputs

  void retry() {
    for (int i = 0; i < taskOutputs.size(); i++) {
      taskOutputs.get(i).retry();
    }
  }

  void flush() {
    for (int i = 0; i < taskOutputs.size(); i++) {
      taskOutputs.get(i).flush();
    }
  }

  void control(ControlElement control) {
    for (TaskOutput output : taskOutputs) {
      output.control(control);
    }
  }

  /** Ends the operators one after the other, as far as it goes; to be called until it says yes. */
  StreamOperator.EndStatus end() {
    while (ending < operators.length) {
      StreamOperator.EndStatus ended = operators[ending].end();
      if (ended != StreamOperator.EndStatus.DONE) {
        return ended;
      }
      ending++;
    }
    return StreamOperator.EndStatus.DONE;
  }

  /** Closes everything that was opened and then throws the first thing that went wrong. */
  void close() {
    MillraceException first = null;
    for (TaskOutput output : taskOutputs) {
      output.close();
    }
    for (int i = 0; i < operators.length; i++) {
      try {
        close(i);
      } catch (Throwable thrown) {
        String name = vertex.operators().get(i).name();
        // As text, because a log may read an exception of user code less carefully.
        LOG.warn(
            "Closing operator '{}' failed: {}", name, Failure.of(thrown, ErrorKind.USER).stack());
        if (first == null) {
          first =
              new MillraceException(
                  ErrorKind.USER,
                  "Closing operator '" + name + "' failed: " + Failure.sentence(thrown),
                  thrown);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private void close(int operator) throws Exception {
    try {
      if (operators[operator] != null) {
        operators[operator].close();
      }
    } finally {
      if (functions[operator] != null) {
        functions[operator].close();
      }
    }
  }
}
