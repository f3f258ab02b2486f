package io.millrace.api;

import io.millrace.api.custom.CustomOperator;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.KeyedCoProcessFunction;
import java.util.List;

/**
 * Two keyed streams whose records go to the same operator. Records with the same key reach the same
 * subtask, whichever stream they come from, and share the state of the key.
 *
 * <pre>{@code
 * class Unpaid extends KeyedCoProcessFunction<String, Order, Payment, Long> {
 *   private transient ReducingState<Long> unpaid;
 *
 *   public void open(RuntimeContext context) {
 *     unpaid = context.reducingState(new ReducingStateDescriptor<>("unpaid", Long::sum));
 *   }
 *
 *   public void process1(Order order, Context<String> context, Collector<Long> out)
 *       throws Exception {
 *     unpaid.add(order.cents());
 *   }
 *
 *   public void process2(Payment payment, Context<String> context, Collector<Long> out)
 *       throws Exception {
 *     unpaid.add(-payment.cents());
 *     out.emit(unpaid.value());
 *   }
 * }
 *
 * KeyedConnectedStreams<Order, Payment, String> both =
 *     orders.keyBy(Order::customer).connect(payments.keyBy(Payment::customer));
 * both.process(new Unpaid()).print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <K> keys of both
 */
public final class KeyedConnectedStreams<A, B, K> extends ConnectedStreams<A, B> {
  private final KeyedStream<A, K> first;
  private final KeyedStream<B, K> second;

  KeyedConnectedStreams(KeyedStream<A, K> first, KeyedStream<B, K> second) {
    super(first, second);
    this.first = first;
    this.second = second;
  }

  /** Processes the records of both streams with state and timers of their keys. */
  public <R> DataStream<R> process(
      KeyedCoProcessFunction<? super K, ? super A, ? super B, R> function) {
    return then(
        "coProcess",
        new OperatorSpec.KeyedCoProcessing(
            TypeErasure.key(first.key()),
            TypeErasure.key(second.key()),
            TypeErasure.coProcess(function)));
  }

  @Override
  OperatorSpec customOperator(CustomOperator<Object> operator) {
    return new OperatorSpec.KeyedCustom(
        List.of(TypeErasure.key(first.key()), TypeErasure.key(second.key())), operator);
  }

  @Override
  OperatorSpec withKeys(OperatorSpec operator, Object function) {
    return FunctionAdapters.isRich(function)
        ? new OperatorSpec.KeyedCo(
            TypeErasure.key(first.key()), TypeErasure.key(second.key()), operator)
        : operator;
  }
}
