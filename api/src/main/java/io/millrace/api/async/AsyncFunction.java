package io.millrace.api.async;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.Collection;
import java.util.concurrent.CompletionStage;

/**
 * Starts a request for each record and returns at once. A function with connections also implements
 * {@link io.millrace.api.process.RichFunction} and opens them there.
 *
 * <pre>{@code
 * AsyncFunction<Order, Long> prices =
 *     order -> CompletableFuture.completedFuture(List.of(order.cents()));
 * }</pre>
 *
 * @param <T> records
 * @param <R> results
 */
@FunctionalInterface
public interface AsyncFunction<T, R> extends Serializable {
  /**
   * Starts the request for a record. Any thread may complete the stage, with the results of the
   * record; an exception is retried, or fails the job.
   */
  CompletionStage<? extends Collection<? extends R>> asyncInvoke(T record) throws Exception;

  /** The results of a record whose request has taken too long. The default fails the job. */
  default Collection<? extends R> timeout(T record) throws Exception {
    throw new MillraceException(
        ErrorKind.USER,
        "An asynchronous request was not answered in time. Raise its time-out, or override"
            + " AsyncFunction.timeout.");
  }
}
