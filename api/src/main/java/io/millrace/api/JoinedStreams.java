package io.millrace.api;

import io.millrace.api.function.FlatJoinFunction;
import io.millrace.api.function.JoinFunction;
import io.millrace.api.function.KeySelector;
import java.time.Duration;
import java.util.Objects;

/**
 * Two streams whose records are joined if they have the same key and window: {@code
 * first.join(second).where(…).equalTo(…).window(…).apply(…)}.
 *
 * <pre>{@code
 * orders
 *     .join(payments)
 *     .where(Order::customer)
 *     .equalTo(Payment::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
 *     .leftOuter()
 *     .apply((order, payment) -> order + " paid with " + payment)
 *     .print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 */
public final class JoinedStreams<A, B> {
  private final DataStream<A> first;
  private final DataStream<B> second;

  JoinedStreams(DataStream<A> first, DataStream<B> second) {
    first.node().requireSameEnvironment(second.node(), "join");
    this.first = first;
    this.second = second;
  }

  /** The key of a record of the first stream. */
  public <K> JoinCondition<A, B, K, WithWindow<K>> where(KeySelector<? super A, K> key) {
    return new JoinCondition<>(first, key, second, windows -> new WithWindow<>(windows));
  }

  /** With keys and windows: an inner join, until an outer one is chosen. */
  public final class WithWindow<K> {
    private final WindowedStream<JoinInput<A, B>, K> windows;
    private JoinSides outer = JoinSides.INNER;

    private WithWindow(WindowedStream<JoinInput<A, B>, K> windows) {
      this.windows = windows;
    }

    /** The time after its end during which an event-time window accepts records. */
    public WithWindow<K> allowedLateness(Duration lateness) {
      windows.allowedLateness(lateness);
      return this;
    }

    /** Records of the first stream without a match are joined with null. */
    public WithWindow<K> leftOuter() {
      outer = JoinSides.LEFT;
      return this;
    }

    /** Records of the second stream without a match are joined with null. */
    public WithWindow<K> rightOuter() {
      outer = JoinSides.RIGHT;
      return this;
    }

    /** Records of both streams without a match are joined with null. */
    public WithWindow<K> fullOuter() {
      outer = JoinSides.FULL;
      return this;
    }

    /** Calls the function for each pair of a window: {@code (first, second) -> result}. */
    public <R> DataStream<R> apply(JoinFunction<? super A, ? super B, R> function) {
      return apply(new CoGroupWindow.EmitJoined<A, B, R>(function));
    }

    /** The same with any number of results: {@code (first, second, out) -> …}. */
    public <R> DataStream<R> apply(FlatJoinFunction<? super A, ? super B, R> function) {
      return windows
          .process(new CoGroupWindow<A, B, R, K>(new CoGroupWindow.Join<A, B, R>(function, outer)))
          .name("join");
    }

    /** The same with the class of the results, for a lambda in the middle of a chain of calls. */
    public <R> DataStream<R> apply(
        Class<R> results, FlatJoinFunction<? super A, ? super B, R> function) {
      Objects.requireNonNull(results, "results");
      return apply(function);
    }
  }
}
