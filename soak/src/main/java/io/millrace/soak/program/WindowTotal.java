package io.millrace.soak.program;

import io.millrace.api.function.AggregateFunction;
import java.io.Serializable;

/** Number of records, and the sum of their numbers. */
record WindowTotal(long count, long sum) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Adds up. */
  static final class Aggregate
      implements AggregateFunction<NumberedRecord, WindowTotal, WindowTotal> {
    private static final long serialVersionUID = 1L;

    @Override
    public WindowTotal create() {
      return new WindowTotal(0, 0);
    }

    @Override
    public WindowTotal add(WindowTotal total, NumberedRecord record) {
      return new WindowTotal(total.count + 1, total.sum + record.number());
    }

    @Override
    public WindowTotal result(WindowTotal total) {
      return total;
    }

    @Override
    public WindowTotal merge(WindowTotal left, WindowTotal right) {
      return new WindowTotal(left.count + right.count, left.sum + right.sum);
    }
  }
}
