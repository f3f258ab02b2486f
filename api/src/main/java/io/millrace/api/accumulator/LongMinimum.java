package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The smallest {@code long}; {@link Long#MAX_VALUE} before the first one.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient LongMinimum shortest;
 *
 *   public void open(RuntimeContext context) {
 *     shortest = context.accumulator("shortest", LongMinimum::new);
 *   }
 *
 *   public String map(String line) {
 *     shortest.add(line.length());
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class LongMinimum extends Accumulator {
  private final AtomicLong current = new AtomicLong(Long.MAX_VALUE);

  public void add(long value) {
    current.lazySet(Math.min(current.get(), value));
  }

  @Override
  public AccumulatorValue value() {
    return new AccumulatorValue.LongMin(current.get());
  }
}
