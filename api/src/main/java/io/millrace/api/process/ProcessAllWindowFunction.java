package io.millrace.api.process;

import io.millrace.api.function.Collector;
import java.io.Serializable;

/**
 * Computes the results of a window of a stream without keys when it fires.
 *
 * <pre>{@code
 * orders
 *     .windowAll(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
 *     .process(
 *         String.class,
 *         (context, records, out) -> {
 *           for (Order order : records) {
 *             out.emit(order.customer() + " until " + context.window().end());
 *           }
 *         })
 *     .print();
 * }</pre>
 *
 * @param <T> the records of the window
 * @param <R> results
 */
@FunctionalInterface
public interface ProcessAllWindowFunction<T, R> extends Serializable {
  void process(ProcessWindowFunction.Context context, Iterable<T> content, Collector<R> out)
      throws Exception;

  /** As {@link ProcessWindowFunction#clear}. */
  default void clear(ProcessWindowFunction.Context context) throws Exception {}
}
