package io.millrace.api;

import io.millrace.api.custom.CustomOperator;
import io.millrace.api.custom.TwoInputOperator;
import io.millrace.api.function.CoFlatMapFunction;
import io.millrace.api.function.CoMapFunction;
import io.millrace.api.function.FlatMapIterableFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.CoProcessFunction;
import java.util.List;

/**
 * Two streams whose records go to the same operator, each to an input of its own. Event time of the
 * operator is the lower one of both streams.
 *
 * <pre>{@code
 * orders.connect(payments).map(order -> order.cents(), payment -> -payment.cents()).print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 */
public sealed class ConnectedStreams<A, B> permits KeyedConnectedStreams {
  private final DataStream<A> first;
  private final DataStream<B> second;

  ConnectedStreams(DataStream<A> first, DataStream<B> second) {
    first.node().requireSameEnvironment(second.node(), "connect");
    this.first = first;
    this.second = second;
  }

  /** Replaces each record of both streams by one result. */
  public <R> DataStream<R> map(CoMapFunction<? super A, ? super B, R> function) {
    return then("coMap", withKeys(new OperatorSpec.CoMap(TypeErasure.coMap(function)), function));
  }

  /** The same with one function for each stream. */
  public <R> DataStream<R> map(
      MapFunction<? super A, ? extends R> first, MapFunction<? super B, ? extends R> second) {
    return map(new FunctionAdapters.CoMap<A, B, R>(first, second));
  }

  /** Emits any number of results for each record of both streams. */
  public <R> DataStream<R> flatMap(CoFlatMapFunction<? super A, ? super B, R> function) {
    return then(
        "coFlatMap",
        withKeys(new OperatorSpec.CoFlatMap(TypeErasure.coFlatMap(function)), function));
  }

  /** The same with one function for each stream, which returns the results. */
  public <R> DataStream<R> flatMap(
      FlatMapIterableFunction<? super A, R> first, FlatMapIterableFunction<? super B, R> second) {
    return flatMap(new FunctionAdapters.CoFlatMap<A, B, R>(first, second));
  }

  /** Processes the records of both streams, with side outputs. */
  public <R> DataStream<R> process(CoProcessFunction<? super A, ? super B, R> function) {
    return then(
        "coProcess",
        withKeys(new OperatorSpec.CoProcessing(TypeErasure.coProcess(function)), function));
  }

  /** Adds an operator of the program. Behind {@code keyBy} it has keyed state and timers. */
  public <R> DataStream<R> transform(
      String name, TwoInputOperator<? super A, ? super B, R> operator) {
    return then(ArgumentChecks.text("name", name), customOperator(TypeErasure.custom(operator)));
  }

  OperatorSpec customOperator(CustomOperator<Object> operator) {
    return new OperatorSpec.Custom(operator);
  }

  /** Sends records of both streams with the same key to the same subtask. */
  public <K> KeyedConnectedStreams<A, B, K> keyBy(
      KeySelector<? super A, K> first, KeySelector<? super B, K> second) {
    return new KeyedConnectedStreams<>(this.first.keyBy(first), this.second.keyBy(second));
  }

  /** The first stream. */
  public DataStream<A> firstInput() {
    return first;
  }

  /** The second stream. */
  public DataStream<B> secondInput() {
    return second;
  }

  /** Adds the keys of keyed streams to an operator whose function may have keyed state. */
  OperatorSpec withKeys(OperatorSpec operator, Object function) {
    return operator;
  }

  final <R> DataStream<R> then(String name, OperatorSpec spec) {
    return new DataStream<>(
        first
            .node()
            .environment()
            .add(
                name,
                new PendingTransformation.Kind.Operator(finalOnly -> spec),
                List.of(first.node(), second.node())));
  }
}
