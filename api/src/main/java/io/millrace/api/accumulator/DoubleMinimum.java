package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The smallest {@code double}; positive infinity before the first one.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient DoubleMinimum lowest;
 *
 *   public void open(RuntimeContext context) {
 *     lowest = context.accumulator("lowest", DoubleMinimum::new);
 *   }
 *
 *   public String map(String line) {
 *     lowest.add(line.length() / 2.0);
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class DoubleMinimum extends Accumulator {
  private final AtomicLong current =
      new AtomicLong(Double.doubleToRawLongBits(Double.POSITIVE_INFINITY));

  public void add(double value) {
    current.lazySet(
        Double.doubleToRawLongBits(Math.min(Double.longBitsToDouble(current.get()), value)));
  }

  @Override
  public AccumulatorValue value() {
    return new AccumulatorValue.DoubleMin(Double.longBitsToDouble(current.get()));
  }
}
