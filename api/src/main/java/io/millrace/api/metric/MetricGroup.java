package io.millrace.api.metric;

/**
 * Metrics with a common name. A metric is in the group of its operator, or in groups inside of it.
 *
 * <p>A name is that of one metric: asking for it again gives the same metric, and asking for
 * another kind under it gives one that is not shown, with a warning in the log. So does a metric
 * with a name of more than 256 characters, its groups included, or beyond the 256 metrics of a
 * task. Metrics are registered in {@code open}, because looking up a name for each record is slow.
 *
 * <pre>{@code
 * class Shops implements MapFunction<Order, Order>, RichFunction {
 *   private transient Counter orders;
 *
 *   public void open(RuntimeContext context) {
 *     // numOrders of the group "shop" with the value "west": reporters have it as a label.
 *     orders = context.metrics().group("shop", "west").counter("numOrders");
 *   }
 *
 *   public Order map(Order order) {
 *     orders.inc();
 *     return order;
 *   }
 * }
 *
 * orders.map(new Shops()).print();
 * }</pre>
 */
public interface MetricGroup {
  /** A group inside of this one. */
  MetricGroup group(String name);

  /**
   * A group inside of this one, of several with the same name. A reporter with labels has the value
   * as the label {@code name}; others have both in the name.
   */
  MetricGroup group(String name, String value);

  default Counter counter(String name) {
    return counter(name, new Counter());
  }

  /** Registers a counter that the caller created, and returns the one with this name. */
  Counter counter(String name, Counter counter);

  default Meter meter(String name) {
    return meter(name, new Meter());
  }

  /** Registers a meter that the caller created, and returns the one with this name. */
  Meter meter(String name, Meter meter);

  default Histogram histogram(String name) {
    return histogram(name, new Histogram());
  }

  /** Registers a histogram that the caller created, and returns the one with this name. */
  Histogram histogram(String name, Histogram histogram);

  /** Registers a gauge, in place of an earlier one with this name. */
  <T> Gauge<T> gauge(String name, Gauge<T> gauge);

  /** Metrics that work and that nobody sees, for contexts outside of a task. */
  static MetricGroup unreported() {
    return UnreportedMetricGroup.INSTANCE;
  }
}
