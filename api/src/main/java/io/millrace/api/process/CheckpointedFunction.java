package io.millrace.api.process;

/**
 * A rich function that takes part in checkpoints. It fills its operator states (see {@link
 * RuntimeContext#operatorListState}) directly before a snapshot, instead of with each record, and
 * reads them in {@link #open} after a restart. Keyed state needs none of this.
 *
 * <pre>{@code
 * // Collects orders and passes them on in groups of 100.
 * class Grouped implements FlatMapFunction<Order, List<Order>>, CheckpointedFunction {
 *   private transient List<Order> group;
 *   private transient ListState<Order> stored;
 *
 *   public void open(RuntimeContext context) {
 *     stored = context.operatorListState(new ListStateDescriptor<>("group"));
 *     group = new ArrayList<>(stored.values());
 *   }
 *
 *   public void flatMap(Order order, Collector<List<Order>> out) {
 *     group.add(order);
 *     if (group.size() >= 100) {
 *       out.emit(List.copyOf(group));
 *       group.clear();
 *     }
 *   }
 *
 *   public void snapshotState(long checkpoint) {
 *     stored.update(group);
 *   }
 * }
 *
 * orders.flatMap(new Grouped()).print();
 * }</pre>
 */
public interface CheckpointedFunction extends RichFunction {
  /**
   * Called before the state of the function goes into a checkpoint. There is no current key. An
   * exception fails the checkpoint.
   */
  void snapshotState(long checkpoint) throws Exception;

  /**
   * A checkpoint is complete. Not every checkpoint is announced: one that completes shortly before
   * a failure may not be, and an earlier one that was not announced counts as complete, too, or was
   * given up.
   */
  default void checkpointCompleted(long checkpoint) throws Exception {}
}
