package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Map;
import java.util.TreeMap;

/**
 * How often each number was added.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient HistogramAccumulator lengths;
 *
 *   public void open(RuntimeContext context) {
 *     lengths = context.accumulator("lengths", HistogramAccumulator::new);
 *   }
 *
 *   public String map(String line) {
 *     lengths.add(line.length() / 10);
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class HistogramAccumulator extends Accumulator {
  private final Map<Integer, Integer> counts = new TreeMap<>();

  /**
   * @throws MillraceException if there are already {@link AccumulatorValue#MAX_BUCKETS} other
   *     numbers
   */
  public synchronized void add(int value) {
    if (counts.size() >= AccumulatorValue.MAX_BUCKETS && !counts.containsKey(value)) {
      throw new MillraceException(
          ErrorKind.USER,
          "A histogram has at most "
              + AccumulatorValue.MAX_BUCKETS
              + " different numbers. Add the bucket of the number instead of the number.");
    }
    counts.merge(value, 1, Integer::sum);
  }

  @Override
  public synchronized AccumulatorValue value() {
    return new AccumulatorValue.Buckets(counts, 0);
  }
}
