package io.millrace.api.state;

/**
 * The states of one scope, such as a window of the current key.
 *
 * <pre>{@code
 * // Emits how much the sum of a window has grown since it fired before.
 * class Growth implements ProcessWindowFunction<Long, Long, String> {
 *   private static final ValueStateDescriptor<Long> BEFORE = new ValueStateDescriptor<>("before");
 *
 *   public void process(String key, Context context, Iterable<Long> sums, Collector<Long> out) {
 *     KeyedStateStore ofWindow = context.windowState();
 *     long sum = sums.iterator().next();
 *     out.emit(sum - ofWindow.state(BEFORE).valueOr(0L));
 *     ofWindow.state(BEFORE).update(sum);
 *   }
 *
 *   public void clear(String key, Context context) {
 *     context.windowState().state(BEFORE).clear();
 *   }
 * }
 * }</pre>
 */
public interface KeyedStateStore {
  <T> ValueState<T> state(ValueStateDescriptor<T> descriptor);

  <T> ListState<T> listState(ListStateDescriptor<T> descriptor);

  <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor);

  <T> ReducingState<T> reducingState(ReducingStateDescriptor<T> descriptor);

  <T, A, R> AggregatingState<T, R> aggregatingState(AggregatingStateDescriptor<T, A, R> descriptor);
}
