package io.millrace.api.sink;

import java.util.List;

/**
 * A writer whose output is committed in a second step.
 *
 * <pre>{@code
 * // Writes a hidden file for each checkpoint. The committer gives it its name.
 * class PartWriter implements CommittingSinkWriter<Order, String> {
 *   private final List<String> lines = new ArrayList<>();
 *
 *   public void write(Order order) {
 *     lines.add(order.customer() + ";" + order.cents());
 *   }
 *
 *   public List<String> prepareCommit() throws IOException {
 *     if (lines.isEmpty()) {
 *       return List.of();
 *     }
 *     String file = "/data/.part-" + UUID.randomUUID();
 *     Files.write(Path.of(file), lines);
 *     lines.clear();
 *     return List.of(file);
 *   }
 * }
 * }</pre>
 *
 * @param <T> the records
 * @param <C> the committables
 */
public interface CommittingSinkWriter<T, C> extends SinkWriter<T> {
  /**
   * The output since the last call. Called after each {@link #flush}. From now on the output
   * belongs to the committer: {@link #close} does not discard it.
   */
  List<C> prepareCommit() throws Exception;
}
