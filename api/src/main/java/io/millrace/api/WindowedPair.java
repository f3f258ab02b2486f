package io.millrace.api;

import io.millrace.api.function.KeySelector;
import io.millrace.api.function.MapFunction;
import io.millrace.api.window.WindowAssigner;
import java.util.Objects;

/** Two streams as one windowed stream, whose records say where they come from. */
final class WindowedPair<A, B, K> {
  private final DataStream<A> first;
  private final DataStream<B> second;
  private final KeySelector<? super A, K> firstKey;
  private final KeySelector<? super B, K> secondKey;

  WindowedPair(
      DataStream<A> first,
      KeySelector<? super A, K> firstKey,
      DataStream<B> second,
      KeySelector<? super B, K> secondKey) {
    this.first = first;
    this.second = second;
    this.firstKey = Objects.requireNonNull(firstKey, "key selector of the first stream");
    this.secondKey = Objects.requireNonNull(secondKey, "key selector of the second stream");
  }

  WindowedStream<JoinInput<A, B>, K> window(WindowAssigner assigner) {
    MapFunction<A, JoinInput<A, B>> fromFirst = record -> new JoinInput<>(record, null);
    MapFunction<B, JoinInput<A, B>> fromSecond = record -> new JoinInput<>(null, record);
    KeySelector<? super A, K> ofFirst = firstKey;
    KeySelector<? super B, K> ofSecond = secondKey;
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
