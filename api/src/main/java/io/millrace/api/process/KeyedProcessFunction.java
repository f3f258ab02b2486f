package io.millrace.api.process;

import io.millrace.api.function.Collector;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.TimerService;

/**
 * Processes the records of each key with state and timers. States come from the {@link
 * RuntimeContext} that {@link #open} gets.
 *
 * @param <K> keys
 * @param <T> records
 * @param <R> results
 */
public abstract class KeyedProcessFunction<K, T, R> implements RichFunction {
  private static final long serialVersionUID = 1L;

  public abstract void process(T record, Context<K> context, Collector<R> out) throws Exception;

  /** A timer of a key has fired. */
  public void onTimer(long time, OnTimerContext<K> context, Collector<R> out) throws Exception {}

  /** The context of a record. Valid only during the call. */
  public interface Context<K> {
    K currentKey();

    /**
     * The record's event time, {@link io.millrace.api.time.Timestamps#NONE} if it has none; that of
     * an event-time timer when one fires.
     */
    long timestamp();

    TimerService timerService();

    /** Emits into a side output. */
    <X> void output(OutputTag<X> tag, X record);
  }

  /** The context of a timer. */
  public interface OnTimerContext<K> extends Context<K> {
    TimeDomain timeDomain();
  }
}
