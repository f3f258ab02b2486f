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
   * Folds two accumulators into one, which may be either of them. Only windows that merge
   * (sessions) ask for it.
   */
  default A merge(A left, A right) throws Exception {
    throw new MillraceException(
        ErrorKind.USER,
        getClass().getName() + " cannot merge accumulators; override AggregateFunction.merge.");
  }
}
