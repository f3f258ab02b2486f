package io.millrace.api.sink;

import java.util.List;

/**
 * A writer with state.
 *
 * <pre>{@code
 * class NumberedWriter implements StatefulSinkWriter<Order, Long> {
 *   private long next;
 *
 *   NumberedWriter(long next) {
 *     this.next = next;
 *   }
 *
 *   public void write(Order order) {
 *     System.out.println(next++ + ": " + order);
 *   }
 *
 *   public List<Long> snapshot(long checkpoint) {
 *     return List.of(next);
 *   }
 * }
 * }</pre>
 *
 * @param <T> the records
 * @param <W> the elements of the state
 */
public interface StatefulSinkWriter<T, W> extends SinkWriter<T> {
  /**
   * The state at a checkpoint, after {@link #flush}. The writer does not change the elements
   * afterwards.
   *
   * @param checkpoint the number of the checkpoint
   */
  List<W> snapshot(long checkpoint) throws Exception;
}
