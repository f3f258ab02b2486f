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
import io.millrace.dataplane.Stages.Place;
import io.millrace.dataplane.state.KeyedStore;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operators of a task, opened and joined; index 0 is the head. Lives in the task's step. */
final class Chain {
  private static final Logger LOG = LoggerFactory.getLogger(Chain.class);

  private final Task task;
  private final JobVertex vertex;
  private final Stage[] stages;
  private final RichFunction[] functions;
  private final List<Outlet> outlets = new ArrayList<>();
  private final List<Stamping> stampings = new ArrayList<>();
  private Flow flow;

  /** The head, if it is one. */
  private KeyedStage keyed;

  /** The head, if it is one. */
  private Reading source;

  private int ending;

  /** Makes the empty chain; what {@link #open} has opened is closed even if it fails half way. */
  Chain(Task task, JobVertex vertex) {
    this.task = task;
    this.vertex = vertex;
    this.stages = new Stage[vertex.operators().size()];
    this.functions = new RichFunction[stages.length];
  }

  /**
   * Opens all operators, the last one first, because each needs what it feeds.
   *
   * @param outputs the edges that leave the task, in the order of the graph
   */
  void open(List<EdgeOutput> outputs) {
    outlets.addAll(outputs);
    Wiring wiring = new Wiring(vertex, stages, outputs, task.eventTime());
    for (int i = stages.length - 1; i >= 0; i--) {
      ChainedOperator operator = vertex.operators().get(i);
      Place place = new Place(task, operator.name());
      try {
        OperatorSpec spec = (OperatorSpec) task.deployed().open(operator.spec());
        Optional<KeyedStore> store =
            spec instanceof OperatorSpec.KeyedProcessing
                ? Optional.of(new KeyedStore())
                : Optional.empty();
        if (function(spec) instanceof RichFunction function) {
          // Closed also if this fails half way.
          functions[i] = function;
          function.open(new TaskContext(task, operator.name(), vertex.parallelism(), store));
        }
        wiring.cut(i, spec instanceof OperatorSpec.Timestamps);
        stages[i] = open(place, spec, wiring, i, store);
      } catch (Throwable thrown) {
        throw task.failed(operator.name(), thrown);
      }
    }
    flow = wiring.incoming();
    keyed = stages[0] instanceof KeyedStage head ? head : null;
    source = stages[0] instanceof Reading reading ? reading : null;
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

  private Stage open(
      Place place, OperatorSpec spec, Wiring wiring, int index, Optional<KeyedStore> store)
      throws Exception {
    Stage next = wiring.mainOf(index);
    if (spec instanceof OperatorSpec.Source source) {
      return new Reading(place, source.source()::open, vertex.parallelism(), next);
    } else if (spec instanceof OperatorSpec.ReadCached read) {
      return new Reading(
          place, context -> new CachedReader(task, read, context), vertex.parallelism(), next);
    } else if (spec instanceof OperatorSpec.Cache cache) {
      return new Caching(place, DataSetId.parse(cache.dataSet()), vertex.parallelism(), next);
    } else if (spec instanceof OperatorSpec.Map map) {
      return new Stages.Map(place, map.function(), next);
    } else if (spec instanceof OperatorSpec.FlatMap flatMap) {
      return new Stages.FlatMap(place, flatMap.function(), next);
    } else if (spec instanceof OperatorSpec.Filter filter) {
      return new Stages.Filter(place, filter.function(), next);
    } else if (spec instanceof OperatorSpec.Reduce reduce) {
      return new Keyed.Reduce(place, reduce.key(), reduce.function(), reduce.finalOnly(), next);
    } else if (spec instanceof OperatorSpec.Aggregate aggregate) {
      return Keyed.aggregate(place, aggregate, next);
    } else if (spec instanceof OperatorSpec.Timestamps timestamps) {
      Duration interval =
          task.deployed().graph().configuration().get(Options.AUTO_WATERMARK_INTERVAL);
      Stamping stamping = new Stamping(place, timestamps, interval, next, wiring.flowOf(index));
      stampings.add(stamping);
      return stamping;
    } else if (spec instanceof OperatorSpec.Processing process) {
      return new Processing(place, process.function(), wiring.outputsOf(task, index));
    } else if (spec instanceof OperatorSpec.KeyedProcessing process) {
      return new KeyedProcessing(
          place, process, store.orElseThrow(), wiring.outputsOf(task, index));
    } else if (spec instanceof OperatorSpec.Window window) {
      return Windowing.open(place, window, wiring.outputsOf(task, index));
    } else if (spec instanceof OperatorSpec.Sink sink) {
      SinkContext context =
          new SinkContext(
              task.subtask(), vertex.parallelism(), task.spec().attempt(), task.deployed().files());
      return new Stages.Write(place, sink.sink().open(context));
    } else if (spec instanceof OperatorSpec.Collect collect) {
      Collecting collecting = new Collecting(place, collect.name());
      outlets.add(collecting);
      return collecting;
    }
    throw new MillraceException(ErrorKind.BUG, "No stage for " + spec.getClass().getName());
  }

  Stage head() {
    return stages[0];
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
    flow.watermark(watermark);
    return true;
  }

  void idle(boolean idle) {
    flow.idle(idle);
  }

  /** Whether some operator may want to know the processing time. */
  boolean isTimed() {
    return keyed != null || !stampings.isEmpty();
  }

  /** Processing time has come to this point; to be called again until it returns true. */
  boolean processingTime(long now) {
    return keyed == null || keyed.nextProcessingTime() > now || keyed.processingTime(now);
  }

  /** Asks generators of watermarks if it is time; returns in how many nanoseconds to ask again. */
  long pulse(long nanoTime) {
    long wait = Long.MAX_VALUE;
    for (int i = 0; i < stampings.size(); i++) {
      wait = Math.min(wait, stampings.get(i).pulse(nanoTime));
    }
    return wait;
  }

  /** When the next processing-time timer is due, {@link Long#MAX_VALUE} for never. */
  long nextProcessingTime() {
    return keyed == null ? Long.MAX_VALUE : keyed.nextProcessingTime();
  }

  // --- outputs

  void retry() {
    for (int i = 0; i < outlets.size(); i++) {
      outlets.get(i).retry();
    }
  }

  void flush() {
    for (int i = 0; i < outlets.size(); i++) {
      outlets.get(i).flush();
    }
  }

  void control(Control control) {
    for (Outlet outlet : outlets) {
      outlet.control(control);
    }
  }

  /** Ends the operators one after the other, as far as it goes; to be called until it says yes. */
  Stage.Ended end() {
    while (ending < stages.length) {
      Stage.Ended ended = stages[ending].end();
      if (ended != Stage.Ended.YES) {
        return ended;
      }
      ending++;
    }
    return Stage.Ended.YES;
  }

  /** Closes everything that was opened and then throws the first thing that went wrong. */
  void close() {
    MillraceException first = null;
    for (Outlet outlet : outlets) {
      outlet.close();
    }
    for (int i = 0; i < stages.length; i++) {
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
      if (stages[operator] != null) {
        stages[operator].close();
      }
    } finally {
      if (functions[operator] != null) {
        functions[operator].close();
      }
    }
  }
}
