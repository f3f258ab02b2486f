package io.millrace.api.function;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;

/**
 * Aggregates the records of one key into an accumulator, and computes a result from it.
 *
 * <pre>{@code
 * class Average implements AggregateFunction<Order, long[], Double> {
 *   public long[] create() {
 *     return new long[2];
 *   }
 *
 *   public long[] add(long[] sum, Order order) {
 *     sum[0] += order.cents();
 *     sum[1]++;
 *     return sum;
 *   }
 *
 *   public Double result(long[] sum) {
 *     return (double) sum[0] / sum[1];
 *   }
 * }
 *
 * orders.keyBy(Order::customer).aggregate(new Average()).print();
 * }</pre>
 *
 * @param <T> records
 * @param <A> the accumulator; {@code add} may change and return the one it is given
 * @param <R> results
 */
public interface AggregateFunction<T, A, R> extends Serializable {
  A create();

  A add(A accumulator, T record) throws Exception;

  R result(A accumulator) throws Exception;

  /**
   * Merges the right accumulator into the left one, which it may change and return; it must not
   * change the right one. Either may be a new accumulator of {@link #create}.
   *
   * <p>Session windows need it. Sliding windows use it to add each record once instead of once per
   * window; they merge in order of time.
   */
  default A merge(A left, A right) throws Exception {
    throw new MillraceException(
        ErrorKind.USER,
        getClass().getName() + " cannot merge accumulators; override AggregateFunction.merge.");
  }
}
