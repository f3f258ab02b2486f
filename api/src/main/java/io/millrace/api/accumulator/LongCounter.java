package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A sum of {@code long}.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient LongCounter characters;
 *
 *   public void open(RuntimeContext context) {
 *     characters = context.accumulator("characters", LongCounter::new);
 *   }
 *
 *   public String map(String line) {
 *     characters.add(line.length());
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class LongCounter extends Accumulator {
  private final AtomicLong current = new AtomicLong(0);

  public void add(long value) {
    current.lazySet(current.get() + value);
  }

  @Override
  public AccumulatorValue value() {
    return new AccumulatorValue.LongSum(current.get());
  }
}
