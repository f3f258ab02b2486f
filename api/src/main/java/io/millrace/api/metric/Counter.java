package io.millrace.api.metric;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number that a function counts up or down. One thread changes it, that of the function; any
 * thread reads it.
 *
 * <pre>{@code
 * class Large implements FilterFunction<Order>, RichFunction {
 *   private transient Counter refused;
 *
 *   public void open(RuntimeContext context) {
 *     refused = context.metrics().group("orders").counter("refused");
 *   }
 *
 *   public boolean keep(Order order) {
 *     if (order.cents() < 100) {
 *       refused.inc();
 *       return false;
 *     }
 *     return true;
 *   }
 * }
 *
 * orders.filter(new Large()).print();
 * }</pre>
 */
public final class Counter {
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(Counter.class, "count", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Written without a fence: a reader may see a value that is a few records old. */
  @SuppressWarnings("UnusedVariable") // Read through the handle.
  private long count;

  public void inc() {
    count++;
  }

  public void inc(long by) {
    count += by;
  }

  public void dec() {
    count--;
  }

  public void dec(long by) {
    count -= by;
  }

  public long count() {
    return (long) COUNT.getOpaque(this);
  }
}
