package io.millrace.api.metric;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How often something happens. One thread marks events, that of the function; any thread reads.
 *
 * <pre>{@code
 * class Alarms implements MapFunction<Order, Order>, RichFunction {
 *   private transient Meter alarms;
 *
 *   public void open(RuntimeContext context) {
 *     alarms = context.metrics().meter("alarms");
 *   }
 *
 *   public Order map(Order order) {
 *     if (order.cents() > 10_000) {
 *       alarms.markEvent();
 *     }
 *     return order;
 *   }
 * }
 *
 * orders.map(new Alarms()).print();
 * }</pre>
 */
public final class Meter {
  private static final long SPAN = TimeUnit.MINUTES.toNanos(1);
  private static final long RESOLUTION = TimeUnit.SECONDS.toNanos(1);

  /** The number of events at a time in nanoseconds. */
  private record Past(long time, long count) {}

  private final Counter count = new Counter();
  private final LongSupplier clock;

  /** Readings of the last minute and one before it; guarded by itself. */
  private final Deque<Past> past = new ArrayDeque<>();

  public Meter() {
    this(System::nanoTime);
  }

  /**
   * @param clock a monotonic time in nanoseconds
   */
  Meter(LongSupplier clock) {
    this.clock = clock;
    past.add(new Past(clock.getAsLong(), 0));
  }

  public void markEvent() {
    count.inc();
  }

  public void markEvent(long events) {
    count.inc(events);
  }

  /** All events. */
  public long count() {
    return count.count();
  }

  /**
   * Events per second over the last minute, or since the start if that was later. The past is known
   * from earlier calls: after a longer pause between calls the rate is that of the pause.
   */
  public double rate() {
    synchronized (past) {
      long now = clock.getAsLong();
      long events = count.count();
      while (past.size() > 1 && now - secondOldest().time() >= SPAN) {
        past.removeFirst();
      }
      Past from = past.getFirst();
      if (now - past.getLast().time() >= RESOLUTION) {
        past.addLast(new Past(now, events));
      }
      long nanos = now - from.time();
      return nanos <= 0 ? 0 : (events - from.count()) * 1e9 / nanos;
    }
  }

  private Past secondOldest() {
    var each = past.iterator();
    each.next();
    return each.next();
  }
}
