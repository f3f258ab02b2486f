package io.millrace.api.state;

/**
 * An accumulator of the current key.
 *
 * <pre>{@code
 * class Average implements AggregateFunction<Order, long[], Double> {
 *   public long[] create() {
 *     return new long[2];
 *   }
 *
 *   public long[] add(long[] sum, Order order) {
 *     return new long[] {sum[0] + order.cents(), sum[1] + 1};
 *   }
 *
 *   public Double result(long[] sum) {
 *     return (double) sum[0] / sum[1];
 *   }
 * }
 *
 * // Emits the average order of each customer, with each order.
 * class Averages implements MapFunction<Order, Double>, RichFunction {
 *   private transient AggregatingState<Order, Double> average;
 *
 *   public void open(RuntimeContext context) {
 *     average =
 *         context.aggregatingState(new AggregatingStateDescriptor<>("average", new Average()));
 *   }
 *
 *   public Double map(Order order) throws Exception {
 *     average.add(order);
 *     return average.value();
 *   }
 * }
 *
 * orders.keyBy(Order::customer).map(new Averages()).print();
 * }</pre>
 */
public interface AggregatingState<T, R> {
  /** The result, or null if nothing was added. */
  R value() throws Exception;

  void add(T element) throws Exception;

  void clear();
}
