package io.millrace.api.function;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;

/**
 * Folds the records of one key into an accumulator and that into a result.
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
   * Folds the right accumulator into the left one, which it may change and return; the right one
   * stays as it is. Each may be one that {@link #create} has just made.
   *
   * <p>Sessions need it, because they merge. Sliding windows fold each record once instead of once
   * for every window it belongs to, if they have it; what they merge is in the order of time.
   */
  default A merge(A left, A right) throws Exception {
    throw new MillraceException(
        ErrorKind.USER,
        getClass().getName() + " cannot merge accumulators; override AggregateFunction.merge.");
  }
}
