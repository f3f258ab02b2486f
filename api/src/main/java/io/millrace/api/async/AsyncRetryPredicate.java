package io.millrace.api.async;

import java.io.Serializable;

/**
 * Decides whether an answer is worth another request.
 *
 * <pre>{@code
 * AsyncRetryPredicate<Throwable> busy = exception -> exception instanceof IOException;
 * AsyncDataStream.orderedWait(
 *         orders,
 *         order -> CompletableFuture.supplyAsync(() -> List.of(order.cents())),
 *         Duration.ofSeconds(5),
 *         100,
 *         AsyncRetryStrategy.fixedDelay(3, Duration.ofMillis(100)).ifException(busy))
 *     .print();
 * }</pre>
 */
@FunctionalInterface
public interface AsyncRetryPredicate<V> extends Serializable {
  boolean test(V answer);
}
