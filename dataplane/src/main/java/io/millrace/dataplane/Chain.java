package io.millrace.dataplane;

import io.millrace.api.function.RichFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.sink.SinkContext;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.Stages.Place;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
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
    for (int i = stages.length - 1; i >= 0; i--) {
      List<Stage> readers = new ArrayList<>();
      for (int j = i + 1; j < stages.length; j++) {
        if (vertex.operators().get(j).input() == i) {
          readers.add(stages[j]);
        }
      }
      for (EdgeOutput output : outputs) {
        if (output.plan.edge().sourceOperator() == i) {
          readers.add(output);
        }
      }
      ChainedOperator operator = vertex.operators().get(i);
      Place place = new Place(task, operator.name());
      try {
        OperatorSpec spec = (OperatorSpec) task.deployed().open(operator.spec());
        if (function(spec) instanceof RichFunction function) {
          // Closed also if this fails half way.
          functions[i] = function;
          function.open(new TaskContext(task, operator.name(), vertex.parallelism()));
        }
        stages[i] = open(place, spec, join(readers));
      } catch (Throwable thrown) {
        throw task.failed(operator.name(), thrown);
      }
    }
  }

  private static Stage join(List<Stage> readers) {
    return switch (readers.size()) {
      case 0 -> new Stages.Nothing();
      case 1 -> readers.get(0);
      default -> new Stages.Fan(readers.toArray(new Stage[0]));
    };
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
    }
    return spec;
  }

  private Stage open(Place place, OperatorSpec spec, Stage next) throws Exception {
    if (spec instanceof OperatorSpec.Source source) {
      return new Reading(place, source.source(), vertex.parallelism(), next);
    } else if (spec instanceof OperatorSpec.Map map) {
      return new Stages.Map(place, map.function(), next);
    } else if (spec instanceof OperatorSpec.FlatMap flatMap) {
      return new Stages.FlatMap(place, flatMap.function(), next);
    } else if (spec instanceof OperatorSpec.Filter filter) {
      return new Stages.Filter(place, filter.function(), next);
    } else if (spec instanceof OperatorSpec.Reduce reduce) {
      return new Keyed.Reduce(place, reduce.key(), reduce.function(), reduce.finalOnly(), next);
    } else if (spec instanceof OperatorSpec.Aggregate aggregate) {
      return new Keyed.Aggregate(
          place, aggregate.key(), aggregate.function(), aggregate.finalOnly(), next);
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

  Optional<Reading> source() {
    return stages[0] instanceof Reading reading ? Optional.of(reading) : Optional.empty();
  }

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

  /** Closes everything that was opened and returns the first thing that went wrong. */
  Optional<Exception> close() {
    Exception first = null;
    for (int i = 0; i < stages.length; i++) {
      try {
        close(i);
      } catch (Exception | LinkageError thrown) {
        LOG.warn("Closing operator '{}' failed", vertex.operators().get(i).name(), thrown);
        if (first == null) {
          first =
              new MillraceException(
                  ErrorKind.USER,
                  "Closing operator '" + vertex.operators().get(i).name() + "' failed: " + thrown,
                  thrown);
        }
      }
    }
    return Optional.ofNullable(first);
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
