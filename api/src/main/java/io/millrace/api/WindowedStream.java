package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.LongExtractor;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.function.ValueExtractor;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.WindowMapFunction;
import io.millrace.api.window.EventTimeTrigger;
import io.millrace.api.window.Evictor;
import io.millrace.api.window.ProcessingTimeTrigger;
import io.millrace.api.window.Trigger;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A keyed stream whose records are divided into windows. A window fires when time has reached its
 * end, and again for each record within the allowed lateness. Later records go to the side output
 * for late data, or are dropped. The remaining windows fire at the end of input. The timestamp of a
 * result is the last millisecond of its window.
 *
 * <pre>{@code
 * orders
 *     .keyBy(Order::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
 *     .allowedLateness(Duration.ofSeconds(10))
 *     .count()
 *     .print();
 * }</pre>
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
  private Optional<Trigger<Object>> trigger = Optional.empty();
  private Optional<Evictor<Object>> evictor = Optional.empty();

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

  /**
   * Decides when windows fire, instead of the end of the window. An aggregation stays incremental
   * with any trigger.
   */
  public WindowedStream<T, K> trigger(Trigger<? super T> trigger) {
    this.trigger = Optional.of(TypeErasure.trigger(trigger));
    return this;
  }

  /** Removes records from windows when they fire, so that windows keep all their records. */
  public WindowedStream<T, K> evictor(Evictor<? super T> evictor) {
    this.evictor = Optional.of(TypeErasure.evictor(evictor));
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
    return aggregate("aggregate", function);
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

  /** Counts the records of each window. */
  public DataStream<Counted<K>> count() {
    return aggregate("count", new CountAggregate<>(key));
  }

  /** Sums a number over the records of each window; an overflow fails the job. */
  public DataStream<Summed<K>> sum(LongExtractor<? super T> value) {
    return aggregate("sum", new SumAggregate<>(key, value));
  }

  /** The lowest value over the records of each window. */
  public <V extends Comparable<? super V>> DataStream<Extreme<K, V>> min(
      ValueExtractor<? super T, V> value) {
    return aggregate("min", new ExtremeAggregate<>(key, value, true));
  }

  /** The highest value over the records of each window. */
  public <V extends Comparable<? super V>> DataStream<Extreme<K, V>> max(
      ValueExtractor<? super T, V> value) {
    return aggregate("max", new ExtremeAggregate<>(key, value, false));
  }

  /** The record of each window with the lowest value; one of several. */
  public <V extends Comparable<? super V>> DataStream<T> minBy(ValueExtractor<? super T, V> value) {
    return then(
        "minBy", reduced(new ExtremeRecord<T, V>(value, true)), WindowSpec.PassThrough.INSTANCE);
  }

  /** The record of each window with the highest value; one of several. */
  public <V extends Comparable<? super V>> DataStream<T> maxBy(ValueExtractor<? super T, V> value) {
    return then(
        "maxBy", reduced(new ExtremeRecord<T, V>(value, false)), WindowSpec.PassThrough.INSTANCE);
  }

  private <A, R> DataStream<R> aggregate(String name, AggregateFunction<? super T, A, R> function) {
    return then(name, aggregated(function), WindowSpec.PassThrough.INSTANCE);
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
    boolean merges =
        assigner instanceof WindowAssigner.Session
            || assigner instanceof WindowAssigner.DynamicSession;
    if (merges && !content.merges()) {
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
    WindowSpec window =
        new WindowSpec(assigner, lateness.toMillis(), lateOutput, content, function);
    boolean isPlain =
        evictor.isEmpty()
            && !FunctionAdapters.hasWindowState(function)
            && trigger.map(this::isDefault).orElse(true)
            && (assigner instanceof WindowAssigner.Aligned
                || assigner instanceof WindowAssigner.Session);
    OperatorSpec spec =
        isPlain
            ? new OperatorSpec.Window(TypeErasure.key(key), window)
            : new OperatorSpec.KeyedProcessing(
                TypeErasure.key(key),
                new TriggeredWindowFunction(
                    window, trigger.orElseGet(this::defaultTrigger), evictor));
    return stream.then("window " + name, finalOnly -> spec);
  }

  private boolean isDefault(Trigger<Object> chosen) {
    return assigner.isEventTime()
        ? chosen instanceof EventTimeTrigger
        : chosen instanceof ProcessingTimeTrigger;
  }

  private Trigger<Object> defaultTrigger() {
    if (assigner instanceof WindowAssigner.Global) {
      throw new MillraceException(
          ErrorKind.USER,
          "Global windows have no end at which they fire. Set a trigger, for example"
              + " CountTrigger.of(100).");
    }
    return assigner.isEventTime() ? EventTimeTrigger.create() : ProcessingTimeTrigger.create();
  }
}
