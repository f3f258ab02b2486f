package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A sum of {@code int}.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient IntCounter parsed;
 *
 *   public void open(RuntimeContext context) {
 *     parsed = context.accumulator("parsed", IntCounter::new);
 *   }
 *
 *   public String map(String line) {
 *     parsed.add(1);
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class IntCounter extends Accumulator {
  private final AtomicInteger current = new AtomicInteger(0);

  public void add(int value) {
    current.lazySet(current.get() + value);
  }

  @Override
  public AccumulatorValue value() {
    return new AccumulatorValue.IntSum(current.get());
  }
}
