package io.millrace.api.time;

/**
 * Constants of timestamps.
 *
 * <pre>{@code
 * DataStream<Order> timed =
 *     orders.process(
 *         (order, context, out) -> {
 *           if (context.timestamp() != Timestamps.NONE) {
 *             out.emit(order);
 *           }
 *         });
 * }</pre>
 */
public final class Timestamps {
  /** The timestamp of a record without one. */
  public static final long NONE = Long.MIN_VALUE;

  private Timestamps() {}
}
