package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A sum of {@code double}.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient DoubleCounter weight;
 *
 *   public void open(RuntimeContext context) {
 *     weight = context.accumulator("weight", DoubleCounter::new);
 *   }
 *
 *   public String map(String line) {
 *     weight.add(0.5);
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class DoubleCounter extends Accumulator {
  private final AtomicLong current = new AtomicLong(Double.doubleToRawLongBits(0));

  public void add(double value) {
    current.lazySet(Double.doubleToRawLongBits(Double.longBitsToDouble(current.get()) + value));
  }

  @Override
  public AccumulatorValue value() {
    return new AccumulatorValue.DoubleSum(Double.longBitsToDouble(current.get()));
  }
}
