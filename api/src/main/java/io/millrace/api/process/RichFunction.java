package io.millrace.api.process;

import java.io.Serializable;

/**
 * A function with a lifecycle and access to its task. A map, flat map, filter, reduce, aggregate or
 * window function that also implements this is opened before its first record; process functions
 * always are. Behind {@code keyBy} it can have keyed state, anywhere it can have operator state;
 * {@link RuntimeContext} has both.
 *
 * <pre>{@code
 * class Numbered implements MapFunction<Order, String>, RichFunction {
 *   private transient int subtask;
 *
 *   public void open(RuntimeContext context) {
 *     subtask = context.subtask();
 *   }
 *
 *   public String map(Order order) {
 *     return subtask + ": " + order;
 *   }
 * }
 *
 * orders.map(new Numbered()).print();
 * }</pre>
 */
public interface RichFunction extends Serializable {
  /** Called once, before the first record. */
  default void open(RuntimeContext context) throws Exception {}

  /** Called once at the end of the task, in any case, even if {@link #open} failed. */
  default void close() throws Exception {}
}
