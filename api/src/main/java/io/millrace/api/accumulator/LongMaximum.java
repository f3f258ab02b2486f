package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The largest {@code long}; {@link Long#MIN_VALUE} before the first one.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient LongMaximum longest;
 *
 *   public void open(RuntimeContext context) {
 *     longest = context.accumulator("longest", LongMaximum::new);
 *   }
 *
 *   public String map(String line) {
 *     longest.add(line.length());
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class LongMaximum extends Accumulator {
  private final AtomicLong current = new AtomicLong(Long.MIN_VALUE);

  public void add(long value) {
    current.lazySet(Math.max(current.get(), value));
  }

  @Override
  public AccumulatorValue value() {
    return new AccumulatorValue.LongMax(current.get());
  }
}
