package io.millrace.api;

import io.millrace.api.function.KeySelector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.window.WindowAssigner;
import java.util.Objects;
import java.util.function.Function;

/**
 * Two streams, of which the first one has a key: {@code where(…)} of a join or co-group.
 *
 * <pre>{@code
 * orders
 *     .join(payments)
 *     .where(Order::customer)
 *     .equalTo(Payment::customer)
 *     .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
 *     .apply((order, payment) -> payment.time() - order.time())
 *     .print();
 * }</pre>
 *
 * @param <A> records of the first stream
 * @param <B> records of the second stream
 * @param <K> keys of both
 * @param <W> what follows when the windows are known
 */
public final class JoinCondition<A, B, K, W> {
  private final DataStream<A> first;
  private final KeySelector<? super A, K> firstKey;
  private final DataStream<B> second;
  private final Function<WindowedStream<JoinInput<A, B>, K>, W> next;

  JoinCondition(
      DataStream<A> first,
      KeySelector<? super A, K> firstKey,
      DataStream<B> second,
      Function<WindowedStream<JoinInput<A, B>, K>, W> next) {
    this.first = first;
    this.firstKey = Objects.requireNonNull(firstKey, "key selector of the first stream");
    this.second = second;
    this.next = next;
  }

  /** The key of a record of the second stream. */
  public EqualTo equalTo(KeySelector<? super B, K> key) {
    return new EqualTo(Objects.requireNonNull(key, "key selector of the second stream"));
  }

  /** With the keys of both streams. */
  public final class EqualTo {
    private final KeySelector<? super B, K> secondKey;

    private EqualTo(KeySelector<? super B, K> secondKey) {
      this.secondKey = secondKey;
    }

    /** The windows in which records with the same key meet. */
    public W window(WindowAssigner assigner) {
      return next.apply(windows(assigner, firstKey, secondKey));
    }
  }

  /** Both streams as one windowed stream, whose records say where they come from. */
  private WindowedStream<JoinInput<A, B>, K> windows(
      WindowAssigner assigner,
      KeySelector<? super A, K> ofFirst,
      KeySelector<? super B, K> ofSecond) {
    MapFunction<A, JoinInput<A, B>> fromFirst = record -> new JoinInput<>(record, null);
    MapFunction<B, JoinInput<A, B>> fromSecond = record -> new JoinInput<>(null, record);
    return first
        .map(fromFirst)
        .name("first of two")
        .union(second.map(fromSecond).name("second of two"))
        .keyBy(
            input ->
                input.first() != null ? ofFirst.key(input.first()) : ofSecond.key(input.second()))
        .window(assigner);
  }
}
