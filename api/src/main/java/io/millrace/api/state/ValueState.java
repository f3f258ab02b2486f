package io.millrace.api.state;

/**
 * A single value of the current key.
 *
 * <pre>{@code
 * // Emits the time between the orders of each customer.
 * class Distances implements MapFunction<Order, Long>, RichFunction {
 *   private transient ValueState<Long> last;
 *
 *   public void open(RuntimeContext context) {
 *     last = context.state(new ValueStateDescriptor<>("last"));
 *   }
 *
 *   public Long map(Order order) {
 *     long distance = order.time() - last.valueOr(order.time());
 *     last.update(order.time());
 *     return distance;
 *   }
 * }
 *
 * orders.keyBy(Order::customer).map(new Distances()).print();
 * }</pre>
 */
public interface ValueState<T> {
  /** The value, or null if the key has none. */
  T value();

  /** The value, or this one if the key has none. */
  default T valueOr(T otherwise) {
    T value = value();
    return value == null ? otherwise : value;
  }

  /** Sets the value; null is the same as {@link #clear}. */
  void update(T value);

  void clear();
}
