package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;

/**
 * A value of a task that is merged over all tasks of the job. Only functions of the task change it.
 * A task that is restarted begins anew.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient Accumulator lines;
 *
 *   public void open(RuntimeContext context) {
 *     lines = context.accumulator("lines", LongCounter::new);
 *   }
 *
 *   public String map(String line) {
 *     ((LongCounter) lines).add(1);
 *     return line + " after " + lines.value();
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public abstract sealed class Accumulator
    permits IntCounter,
        LongCounter,
        DoubleCounter,
        AverageAccumulator,
        LongMinimum,
        LongMaximum,
        DoubleMinimum,
        DoubleMaximum,
        HistogramAccumulator,
        ListAccumulator {
  Accumulator() {}

  /** The current value. Any thread may call this. */
  public abstract AccumulatorValue value();
}
