package io.millrace.api.sink;

import java.util.List;

/**
 * A sink whose writers have state that is part of checkpoints.
 *
 * <pre>{@code
 * // Numbers its output, also across restarts. StatefulSinkWriter has the writer.
 * abstract class NumberedSink implements StatefulSink<Order, Long> {
 *   abstract StatefulSinkWriter<Order, Long> writer(long next);
 *
 *   public StatefulSinkWriter<Order, Long> createWriter(SinkContext context) {
 *     return writer(0);
 *   }
 *
 *   public StatefulSinkWriter<Order, Long> restoreWriter(SinkContext context, List<Long> state) {
 *     return writer(state.stream().mapToLong(Long::longValue).max().orElse(0));
 *   }
 *
 *   public Redistribution redistribution() {
 *     return Redistribution.UNION;
 *   }
 * }
 * }</pre>
 *
 * @param <T> the records
 * @param <W> the elements of the state, which can be serialised like records
 */
public interface StatefulSink<T, W> extends Sink<T> {
  /** How the elements of all writers are distributed when a job starts with a checkpoint. */
  enum Redistribution {
    /** Each element goes to one writer; the elements are distributed evenly. */
    SPLIT,
    /** Each writer gets the elements of all writers. */
    UNION
  }

  /** Creates the writer of an instance that starts without state. */
  @Override
  StatefulSinkWriter<T, W> createWriter(SinkContext context) throws Exception;

  /**
   * Creates the writer of an instance that starts with a checkpoint.
   *
   * @param state the elements that {@link #redistribution} gives to this instance; may be empty
   */
  StatefulSinkWriter<T, W> restoreWriter(SinkContext context, List<W> state) throws Exception;

  default Redistribution redistribution() {
    return Redistribution.SPLIT;
  }
}
