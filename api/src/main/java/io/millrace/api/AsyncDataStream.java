package io.millrace.api;

import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import java.time.Duration;

/**
 * Adds operators with asynchronous requests. An operator waits for at most {@code capacity} records
 * at a time, and holds its input back then. Watermarks do not overtake records. A checkpoint has
 * the records that wait; their requests are sent again after a restart.
 *
 * <pre>{@code
 * AsyncDataStream.unorderedWait(
 *         orders,
 *         order -> CompletableFuture.supplyAsync(() -> List.of(order + " is known")),
 *         Duration.ofSeconds(5),
 *         100)
 *     .print();
 * }</pre>
 */
public final class AsyncDataStream {
  private AsyncDataStream() {}

  /**
   * Emits the results in the order of the records.
   *
   * @param timeout of a record
   * @param capacity the number of records that wait at a time
   */
  public static <T, R> DataStream<R> orderedWait(
      DataStream<T> stream, AsyncFunction<? super T, R> function, Duration timeout, int capacity) {
    return orderedWait(stream, function, timeout, capacity, AsyncRetryStrategy.none());
  }

  /** The same with retries. */
  public static <T, R> DataStream<R> orderedWait(
      DataStream<T> stream,
      AsyncFunction<? super T, R> function,
      Duration timeout,
      int capacity,
      AsyncRetryStrategy<? super R> retry) {
    return stream.async(function, true, timeout, capacity, retry);
  }

  /** Emits results as they come, but none after a watermark that its record was before. */
  public static <T, R> DataStream<R> unorderedWait(
      DataStream<T> stream, AsyncFunction<? super T, R> function, Duration timeout, int capacity) {
    return unorderedWait(stream, function, timeout, capacity, AsyncRetryStrategy.none());
  }

  /** The same with retries. */
  public static <T, R> DataStream<R> unorderedWait(
      DataStream<T> stream,
      AsyncFunction<? super T, R> function,
      Duration timeout,
      int capacity,
      AsyncRetryStrategy<? super R> retry) {
    return stream.async(function, false, timeout, capacity, retry);
  }
}
