package io.millrace.api;

import io.millrace.api.function.CoGroupFunction;
import io.millrace.api.function.KeySelector;
import java.time.Duration;
import java.util.Objects;

/**
 * Two streams whose records are grouped by key and window: {@code
 * first.coGroup(second).where(…).equalTo(…).window(…).apply(…)}.
 *
 * <pre>{@code
 * orders
 *     .coGroup(payments)
 *     .where(Order::customer)
 *     .equalTo(Payment::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
 *     .apply(String.class, (ordered, paid, out) -> out.emit(ordered + " and " + paid))
 *     .print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 */
public final class CoGroupedStreams<A, B> {
  private final DataStream<A> first;
  private final DataStream<B> second;

  CoGroupedStreams(DataStream<A> first, DataStream<B> second) {
    first.node().requireSameEnvironment(second.node(), "co-group");
    this.first = first;
    this.second = second;
  }

  /** The key of a record of the first stream. */
  public <K> JoinCondition<A, B, K, WithWindow<K>> where(KeySelector<? super A, K> key) {
    return new JoinCondition<>(first, key, second, windows -> new WithWindow<>(windows));
  }

  /** With keys and windows. */
  public final class WithWindow<K> {
    private final WindowedStream<JoinInput<A, B>, K> windows;

    private WithWindow(WindowedStream<JoinInput<A, B>, K> windows) {
      this.windows = windows;
    }

    /** The time after its end during which an event-time window accepts records. */
    public WithWindow<K> allowedLateness(Duration lateness) {
      windows.allowedLateness(lateness);
      return this;
    }

    /** Calls the function for each key and window with records of at least one stream. */
    public <R> DataStream<R> apply(CoGroupFunction<? super A, ? super B, R> function) {
      return windows.process(new CoGroupWindow<A, B, R, K>(function)).name("coGroup");
    }

    /**
     * The same with the class of the results, for a lambda {@code (first, second, out) -> …} in the
     * middle of a chain of calls.
     */
    public <R> DataStream<R> apply(
        Class<R> results, CoGroupFunction<? super A, ? super B, R> function) {
      Objects.requireNonNull(results, "results");
      return apply(function);
    }
  }
}
