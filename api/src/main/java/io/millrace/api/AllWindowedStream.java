package io.millrace.api;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.LongExtractor;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.function.ValueExtractor;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessAllWindowFunction;
import io.millrace.api.window.Evictor;
import io.millrace.api.window.Trigger;
import java.time.Duration;
import java.util.Objects;

/**
 * A stream without keys whose records are divided into windows. One subtask has all windows, so the
 * operator has parallelism 1. {@link WindowedStream} says when windows fire.
 *
 * <pre>{@code
 * orders.windowAll(TumblingEventTimeWindows.of(Duration.ofMinutes(1))).sum(Order::cents).print();
 * }</pre>
 *
 * @param <T> the records
 */
public final class AllWindowedStream<T> {
  private final WindowedStream<T, Integer> windows;

  AllWindowedStream(WindowedStream<T, Integer> windows) {
    this.windows = windows;
  }

  /** The time after its end during which an event-time window accepts records. */
  public AllWindowedStream<T> allowedLateness(Duration lateness) {
    windows.allowedLateness(lateness);
    return this;
  }

  /** Sets the side output for late records, which are dropped otherwise. */
  public AllWindowedStream<T> sideOutputLateData(OutputTag<T> tag) {
    windows.sideOutputLateData(tag);
    return this;
  }

  /** Decides when windows fire. */
  public AllWindowedStream<T> trigger(Trigger<? super T> trigger) {
    windows.trigger(trigger);
    return this;
  }

  /** Removes records from windows when they fire. */
  public AllWindowedStream<T> evictor(Evictor<? super T> evictor) {
    windows.evictor(evictor);
    return this;
  }

  /** Reduces the records of each window incrementally. */
  public DataStream<T> reduce(ReduceFunction<T> function) {
    return windows.reduce(function).parallelism(1);
  }

  /** Aggregates the records of each window incrementally. */
  public <A, R> DataStream<R> aggregate(AggregateFunction<? super T, A, R> function) {
    return windows.aggregate(function).parallelism(1);
  }

  /** Counts the records of each window. */
  public DataStream<Long> count() {
    return windows.count().parallelism(1).map(Counted::count).parallelism(1);
  }

  /** Sums a number over the records of each window; an overflow fails the job. */
  public DataStream<Long> sum(LongExtractor<? super T> value) {
    return windows.sum(value).parallelism(1).map(Summed::sum).parallelism(1);
  }

  /** The lowest value over the records of each window. */
  public <V extends Comparable<? super V>> DataStream<V> min(ValueExtractor<? super T, V> value) {
    return windows.min(value).parallelism(1).<V>map(Extreme::value).parallelism(1);
  }

  /** The highest value over the records of each window. */
  public <V extends Comparable<? super V>> DataStream<V> max(ValueExtractor<? super T, V> value) {
    return windows.max(value).parallelism(1).<V>map(Extreme::value).parallelism(1);
  }

  /** The record of each window with the lowest value; one of several. */
  public <V extends Comparable<? super V>> DataStream<T> minBy(ValueExtractor<? super T, V> value) {
    return windows.minBy(value).parallelism(1);
  }

  /** The record of each window with the highest value; one of several. */
  public <V extends Comparable<? super V>> DataStream<T> maxBy(ValueExtractor<? super T, V> value) {
    return windows.maxBy(value).parallelism(1);
  }

  /** Keeps all records of each window until it fires; an aggregation needs less memory. */
  public <R> DataStream<R> process(ProcessAllWindowFunction<T, R> function) {
    return windows.process(new FunctionAdapters.ProcessAll<T, R>(function)).parallelism(1);
  }

  /**
   * The same with the class of the results, for a lambda {@code (context, records, out) -> …} in
   * the middle of a chain of calls: the compiler cannot infer their type from it.
   */
  public <R> DataStream<R> process(Class<R> results, ProcessAllWindowFunction<T, R> function) {
    Objects.requireNonNull(results, "results");
    return process(function);
  }
}
