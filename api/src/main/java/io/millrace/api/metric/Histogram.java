package io.millrace.api.metric;

import java.util.Arrays;

/**
 * The distribution of numbers: of the latest ones, so that it follows changes. One thread adds
 * numbers, that of the function; any thread reads.
 *
 * <pre>{@code
 * class Sizes implements MapFunction<Order, Order>, RichFunction {
 *   private transient Histogram sizes;
 *
 *   public void open(RuntimeContext context) {
 *     sizes = context.metrics().histogram("size");
 *   }
 *
 *   public Order map(Order order) {
 *     sizes.update(order.toString().length());
 *     return order;
 *   }
 * }
 *
 * orders.map(new Sizes()).print();
 * }</pre>
 */
public final class Histogram {
  private static final int DEFAULT_WINDOW = 1000;
  private static final int MAX_WINDOW = 10_000;

  private final long[] window;
  private final Counter count = new Counter();
  private int next;

  /** Of the latest 1000 numbers. */
  public Histogram() {
    this(DEFAULT_WINDOW);
  }

  /**
   * @param window how many of the latest numbers count, at most 10,000
   */
  public Histogram(int window) {
    if (window < 1 || window > MAX_WINDOW) {
      throw new IllegalArgumentException(
          "A histogram keeps 1 to " + MAX_WINDOW + " numbers, not " + window + ".");
    }
    this.window = new long[window];
  }

  public void update(long number) {
    window[next] = number;
    next = next + 1 == window.length ? 0 : next + 1;
    count.inc();
  }

  /** How many numbers were added since the start. */
  public long count() {
    return count.count();
  }

  /**
   * The distribution of the latest numbers. A number that is added meanwhile may count or not, and
   * the one that it replaces, too.
   */
  public HistogramStatistics statistics() {
    int size = (int) Math.min(window.length, count.count());
    return new HistogramStatistics(Arrays.copyOf(window, size));
  }
}
