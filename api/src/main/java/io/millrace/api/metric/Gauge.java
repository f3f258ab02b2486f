package io.millrace.api.metric;

/**
 * A value that is computed when somebody looks at it. Other threads than that of the function call
 * it, so that it reads only what they may read. A gauge that throws is not shown.
 *
 * <pre>{@code
 * class Buffering implements MapFunction<Order, Order>, RichFunction {
 *   private transient volatile int buffered;
 *
 *   public void open(RuntimeContext context) {
 *     context.metrics().gauge("buffered", () -> buffered);
 *   }
 *
 *   public Order map(Order order) {
 *     buffered = order.toString().length();
 *     return order;
 *   }
 * }
 *
 * orders.map(new Buffering()).print();
 * }</pre>
 *
 * @param <T> a number or a boolean; anything else is shown as text, which a reporter of numbers
 *     leaves out
 */
@FunctionalInterface
public interface Gauge<T> {
  T value() throws Exception;
}
