package io.millrace.api;

import io.millrace.api.custom.CustomOperator;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.LongExtractor;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.function.ValueExtractor;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.window.CountEvictor;
import io.millrace.api.window.CountTrigger;
import io.millrace.api.window.GlobalWindows;
import io.millrace.api.window.PurgingTrigger;
import io.millrace.api.window.WindowAssigner;
import java.util.List;

/**
 * A stream that is partitioned by key. In streaming mode its aggregations emit the new result for
 * every record, in batch mode each key's result once, at the end of the input.
 *
 * <p>A function of a keyed stream that is a {@link RichFunction} can have keyed state: that of
 * {@code map}, {@code flatMap}, {@code filter} and {@code process}, of an aggregation and of a
 * window. The result of an operator is not keyed.
 *
 * <p>Keys are values of the JDK (primitives' boxes, strings, {@code UUID}, {@code java.time}, big
 * numbers, byte arrays), enums, records and lists of these, and classes with {@code equals} and
 * {@code hashCode}. {@code docs/types.md} has the rules.
 *
 * <pre>{@code
 * orders.keyBy(Order::customer).sum(Order::cents).print();
 * }</pre>
 *
 * @param <T> the type of the records
 * @param <K> the type of the keys
 */
public final class KeyedStream<T, K> extends DataStream<T> {
  private final KeySelector<? super T, K> key;

  KeyedStream(PendingTransformation node, KeySelector<? super T, K> key) {
    super(node);
    this.key = key;
  }

  /** Combines the records of each key into one. */
  public DataStream<T> reduce(ReduceFunction<T> function) {
    ReduceFunction<Object> erased = TypeErasure.reduce(function);
    return then(
        "reduce", finalOnly -> new OperatorSpec.Reduce(TypeErasure.key(key), erased, finalOnly));
  }

  /** Aggregates the records of each key. */
  public <A, R> DataStream<R> aggregate(AggregateFunction<? super T, A, R> function) {
    return aggregate("aggregate", function);
  }

  /** Counts the records of each key. */
  public DataStream<Counted<K>> count() {
    return aggregate("count", new CountAggregate<>(key));
  }

  /** Sums a number over the records of each key; an overflow fails the job. */
  public DataStream<Summed<K>> sum(LongExtractor<? super T> value) {
    return aggregate("sum", new SumAggregate<>(key, value));
  }

  /** The lowest value over the records of each key. */
  public <V extends Comparable<? super V>> DataStream<Extreme<K, V>> min(
      ValueExtractor<? super T, V> value) {
    return aggregate("min", new ExtremeAggregate<>(key, value, true));
  }

  /** The highest value over the records of each key. */
  public <V extends Comparable<? super V>> DataStream<Extreme<K, V>> max(
      ValueExtractor<? super T, V> value) {
    return aggregate("max", new ExtremeAggregate<>(key, value, false));
  }

  /** The record of each key with the lowest value; the first of several. */
  public <V extends Comparable<? super V>> DataStream<T> minBy(ValueExtractor<? super T, V> value) {
    return reduce(new ExtremeRecord<T, V>(value, true)).name("minBy");
  }

  /** The record of each key with the highest value; the first of several. */
  public <V extends Comparable<? super V>> DataStream<T> maxBy(ValueExtractor<? super T, V> value) {
    return reduce(new ExtremeRecord<T, V>(value, false)).name("maxBy");
  }

  /** Processes the records of each key with state and timers. */
  public <R> DataStream<R> process(KeyedProcessFunction<? super K, ? super T, R> function) {
    OperatorSpec spec =
        new OperatorSpec.KeyedProcessing(TypeErasure.key(key), TypeErasure.process(function));
    return then("process", finalOnly -> spec);
  }

  /**
   * Connects two keyed streams with keys of the same type. Records with the same key share the
   * state of that key.
   */
  public <B> KeyedConnectedStreams<T, B, K> connect(KeyedStream<B, K> other) {
    return new KeyedConnectedStreams<>(this, other);
  }

  @Override
  public <B> KeyedBroadcastConnectedStream<T, B, K> connect(BroadcastStream<B> broadcast) {
    return new KeyedBroadcastConnectedStream<>(this, broadcast);
  }

  /** Joins records of two keyed streams whose timestamps are close to each other. */
  public <B> IntervalJoin<T, B, K> intervalJoin(KeyedStream<B, K> other) {
    return new IntervalJoin<>(this, other);
  }

  KeySelector<? super T, K> key() {
    return key;
  }

  @Override
  OperatorSpec withKey(OperatorSpec operator, Object function) {
    return FunctionAdapters.isRich(function)
        ? new OperatorSpec.Keyed(TypeErasure.key(key), operator)
        : operator;
  }

  @Override
  OperatorSpec customOperator(CustomOperator<Object> operator) {
    return new OperatorSpec.KeyedCustom(List.of(TypeErasure.key(key)), operator);
  }

  /** Divides the records of each key into windows. */
  public WindowedStream<T, K> window(WindowAssigner assigner) {
    return new WindowedStream<>(this, key, assigner);
  }

  /** Windows of so many records of a key. Those of an incomplete window give no result. */
  public WindowedStream<T, K> countWindow(int size) {
    return window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(size)));
  }

  /** The last records of a key, at most {@code size}, after every {@code slide} records. */
  public WindowedStream<T, K> countWindow(int size, int slide) {
    return window(GlobalWindows.create())
        .evictor(CountEvictor.of(size))
        .trigger(CountTrigger.of(slide));
  }

  private <A, R> DataStream<R> aggregate(String name, AggregateFunction<? super T, A, R> function) {
    AggregateFunction<Object, Object, Object> erased = TypeErasure.aggregate(function);
    return then(
        name, finalOnly -> new OperatorSpec.Aggregate(TypeErasure.key(key), erased, finalOnly));
  }
}
