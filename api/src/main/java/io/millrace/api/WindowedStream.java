package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.WindowMapFunction;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Objects;

/**
 * A keyed stream whose records are divided into windows. A window fires when time has reached its
 * end, and again for each record within the allowed lateness. Later records go to the side output
 * for late data, or are dropped. The remaining windows fire at the end of input. The timestamp of a
 * result is the last millisecond of its window.
 *
 * @param <T> the records
 * @param <K> their keys
 */
public final class WindowedStream<T, K> {
  private final KeyedStream<T, K> stream;
  private final KeySelector<? super T, K> key;
  private final WindowAssigner assigner;
  private Duration lateness = Duration.ZERO;
  private String lateOutput = "";

  WindowedStream(KeyedStream<T, K> stream, KeySelector<? super T, K> key, WindowAssigner assigner) {
    this.stream = stream;
    this.key = key;
    this.assigner = Objects.requireNonNull(assigner, "assigner");
  }

  /** The time after its end during which an event-time window accepts records. */
  public WindowedStream<T, K> allowedLateness(Duration lateness) {
    if (lateness.isNegative()) {
      throw new MillraceException(
          ErrorKind.USER, "The allowed lateness is 0 ms or more, not " + lateness + ".");
    }
    this.lateness = lateness;
    return this;
  }

  /** Sets the side output for late records, which are dropped otherwise. */
  public WindowedStream<T, K> sideOutputLateData(OutputTag<T> tag) {
    this.lateOutput = tag.id();
    return this;
  }

  /** Reduces the records of each window incrementally. */
  public DataStream<T> reduce(ReduceFunction<T> function) {
    return then("reduce", reduced(function), WindowSpec.PassThrough.INSTANCE);
  }

  /** The same; a window function computes the results. */
  public <R> DataStream<R> reduce(
      ReduceFunction<T> function, ProcessWindowFunction<T, R, ? super K> results) {
    return then("reduce", reduced(function), TypeErasure.process(results));
  }

  /** The same, with one result of each window: {@code (key, window, reduced) -> …}. */
  public <R> DataStream<R> reduce(
      ReduceFunction<T> function, WindowMapFunction<T, R, ? super K> result) {
    return reduce(function, new FunctionAdapters.MapFolded<>(result));
  }

  /** Aggregates the records of each window incrementally. */
  public <A, R> DataStream<R> aggregate(AggregateFunction<? super T, A, R> function) {
    return then("aggregate", aggregated(function), WindowSpec.PassThrough.INSTANCE);
  }

  /** The same; a window function computes the results. */
  public <A, V, R> DataStream<R> aggregate(
      AggregateFunction<? super T, A, V> function, ProcessWindowFunction<V, R, ? super K> results) {
    return then("aggregate", aggregated(function), TypeErasure.process(results));
  }

  /** The same, with one result of each window: {@code (key, window, folded) -> …}. */
  public <A, V, R> DataStream<R> aggregate(
      AggregateFunction<? super T, A, V> function, WindowMapFunction<V, R, ? super K> result) {
    return aggregate(function, new FunctionAdapters.MapFolded<>(result));
  }

  /** Keeps all records of each window until it fires; an aggregation needs less memory. */
  public <R> DataStream<R> process(ProcessWindowFunction<T, R, ? super K> function) {
    return then("process", new WindowSpec.Content.Records(), TypeErasure.process(function));
  }

  /**
   * The same with the class of the results, for a lambda {@code (key, context, records, out) -> …}
   * in the middle of a chain of calls: the compiler cannot infer their type from it.
   */
  public <R> DataStream<R> process(
      Class<R> results, ProcessWindowFunction<T, R, ? super K> function) {
    Objects.requireNonNull(results, "results");
    return process(function);
  }

  /** The same with one result of each window: {@code (key, window, records) -> …}. */
  public <R> DataStream<R> process(WindowMapFunction<Iterable<T>, R, ? super K> function) {
    return process(new FunctionAdapters.MapRecords<>(function));
  }

  private static WindowSpec.Content reduced(ReduceFunction<?> function) {
    return new WindowSpec.Content.Reduced(TypeErasure.reduce(function));
  }

  private WindowSpec.Content aggregated(AggregateFunction<?, ?, ?> function) {
    WindowSpec.Content content = new WindowSpec.Content.Aggregated(TypeErasure.aggregate(function));
    if (assigner instanceof WindowAssigner.Session && !content.merges()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Sessions merge when a record closes the gap between two, and "
              + function.getClass().getName()
              + " does not say how. Override AggregateFunction.merge.");
    }
    return content;
  }

  private <R> DataStream<R> then(
      String name,
      WindowSpec.Content content,
      ProcessWindowFunction<Object, Object, Object> function) {
    OperatorSpec spec =
        new OperatorSpec.Window(
            TypeErasure.key(key),
            new WindowSpec(assigner, lateness.toMillis(), lateOutput, content, function));
    return stream.then("window " + name, finalOnly -> spec);
  }
}
