package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The largest {@code double}; negative infinity before the first one.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient DoubleMaximum highest;
 *
 *   public void open(RuntimeContext context) {
 *     highest = context.accumulator("highest", DoubleMaximum::new);
 *   }
 *
 *   public String map(String line) {
 *     highest.add(line.length() / 2.0);
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class DoubleMaximum extends Accumulator {
  private final AtomicLong current =
      new AtomicLong(Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY));

  public void add(double value) {
    current.lazySet(
        Double.doubleToRawLongBits(Math.max(Double.longBitsToDouble(current.get()), value)));
  }

  @Override
  public AccumulatorValue value() {
    return new AccumulatorValue.DoubleMax(Double.longBitsToDouble(current.get()));
  }
}
