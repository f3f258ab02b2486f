package io.millrace.api.sink;

import java.io.IOException;

/**
 * One parallel instance of a sink. The engine calls {@link #write} and {@link #flush} in any order,
 * at last {@link #flush} for the end of input unless the job is stopped before, then {@link
 * #close}.
 *
 * <pre>{@code
 * class BatchWriter implements SinkWriter<Order> {
 *   private final List<String> batch = new ArrayList<>();
 *
 *   public void write(Order order) throws IOException {
 *     batch.add(order.customer() + ";" + order.cents());
 *     if (batch.size() >= 1_000) {
 *       flush(false);
 *     }
 *   }
 *
 *   public void flush(boolean endOfInput) throws IOException {
 *     Files.write(Path.of("/data/orders.txt"), batch, StandardOpenOption.APPEND);
 *     batch.clear();
 *   }
 * }
 *
 * orders.sinkTo(context -> new BatchWriter());
 * }</pre>
 */
public interface SinkWriter<T> extends AutoCloseable {
  void write(T record) throws Exception;

  /**
   * Hands over all records that were written. Called before every checkpoint, whose state does not
   * contain them, and at the end of input. A failure restarts the job.
   *
   * @param endOfInput whether no record follows
   */
  default void flush(boolean endOfInput) throws Exception {}

  /** Releases resources. Discards records that were neither flushed nor prepared for a commit. */
  @Override
  default void close() throws IOException {}
}
