package io.millrace.api.state;

/**
 * A reduced value of the current key.
 *
 * <pre>{@code
 * class Totals implements MapFunction<Order, Long>, RichFunction {
 *   private transient ReducingState<Long> total;
 *
 *   public void open(RuntimeContext context) {
 *     total = context.reducingState(new ReducingStateDescriptor<>("total", Long::sum));
 *   }
 *
 *   public Long map(Order order) throws Exception {
 *     total.add(order.cents());
 *     return total.value();
 *   }
 * }
 *
 * orders.keyBy(Order::customer).map(new Totals()).print();
 * }</pre>
 */
public interface ReducingState<T> {
  /** The combined value, or null if nothing was added. */
  T value();

  void add(T element) throws Exception;

  void clear();
}
