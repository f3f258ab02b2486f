package io.millrace.api.async;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;

/**
 * Repeats requests that failed. The time-out of a record includes all its attempts.
 *
 * <pre>{@code
 * AsyncDataStream.unorderedWait(
 *         orders,
 *         order -> CompletableFuture.supplyAsync(() -> List.of(order.cents())),
 *         Duration.ofSeconds(30),
 *         100,
 *         AsyncRetryStrategy.exponentialBackoff(
 *                 5, Duration.ofMillis(100), Duration.ofSeconds(10), 2)
 *             .ifException(exception -> exception instanceof IOException))
 *     .print();
 * }</pre>
 *
 * @param maxAttempts the number of requests for a record, with the first one
 * @param delay before the second request
 * @param multiplier of the delay after each further request
 * @param maxDelay the limit of the delay
 * @param ifException which failures are retried
 * @param ifResult which results are retried
 */
public record AsyncRetryStrategy<R>(
    int maxAttempts,
    Duration delay,
    double multiplier,
    Duration maxDelay,
    AsyncRetryPredicate<? super Throwable> ifException,
    AsyncRetryPredicate<? super Collection<? extends R>> ifResult)
    implements Serializable {

  public AsyncRetryStrategy {
    Objects.requireNonNull(ifException);
    Objects.requireNonNull(ifResult);
    if (maxAttempts < 1 || delay.isNegative() || maxDelay.compareTo(delay) < 0 || multiplier < 1) {
      throw new MillraceException(
          ErrorKind.USER,
          "Retries with "
              + maxAttempts
              + " attempts and delays from "
              + delay
              + " to "
              + maxDelay
              + " by factor "
              + multiplier
              + " cannot be: there is 1 attempt or more, delays are not negative, and neither"
              + " shrinks.");
    }
  }

  /** Sends each request once. */
  public static <R> AsyncRetryStrategy<R> none() {
    return fixedDelay(1, Duration.ZERO);
  }

  /** Repeats a request that fails with any exception, after the same delay. */
  public static <R> AsyncRetryStrategy<R> fixedDelay(int maxAttempts, Duration delay) {
    return new AsyncRetryStrategy<>(
        maxAttempts, delay, 1, delay, exception -> true, result -> false);
  }

  /** Repeats a request that fails with any exception, after growing delays. */
  public static <R> AsyncRetryStrategy<R> exponentialBackoff(
      int maxAttempts, Duration delay, Duration maxDelay, double multiplier) {
    return new AsyncRetryStrategy<>(
        maxAttempts, delay, multiplier, maxDelay, exception -> true, result -> false);
  }

  /** The same with a choice of the failures that are retried. */
  public AsyncRetryStrategy<R> ifException(AsyncRetryPredicate<? super Throwable> predicate) {
    return new AsyncRetryStrategy<>(maxAttempts, delay, multiplier, maxDelay, predicate, ifResult);
  }

  /** The same with a choice of the results that are retried. */
  public AsyncRetryStrategy<R> ifResult(
      AsyncRetryPredicate<? super Collection<? extends R>> predicate) {
    return new AsyncRetryStrategy<>(
        maxAttempts, delay, multiplier, maxDelay, ifException, predicate);
  }

  /** The delay after so many attempts. */
  public Duration delayAfter(int attempts) {
    double millis = delay.toMillis() * Math.pow(multiplier, attempts - 1.0);
    return millis >= maxDelay.toMillis() ? maxDelay : Duration.ofMillis((long) millis);
  }
}
