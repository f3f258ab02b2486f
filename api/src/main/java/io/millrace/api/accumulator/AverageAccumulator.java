package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;

/**
 * The mean of numbers; 0 before the first one.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient AverageAccumulator length;
 *
 *   public void open(RuntimeContext context) {
 *     length = context.accumulator("length", AverageAccumulator::new);
 *   }
 *
 *   public String map(String line) {
 *     length.add(line.length());
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class AverageAccumulator extends Accumulator {
  private long count;
  private double sum;

  public synchronized void add(double value) {
    count++;
    sum += value;
  }

  @Override
  public synchronized AccumulatorValue value() {
    return new AccumulatorValue.Mean(count, sum);
  }
}
