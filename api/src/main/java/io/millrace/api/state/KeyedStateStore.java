package io.millrace.api.state;

/** The states of one scope, such as a window of the current key. */
public interface KeyedStateStore {
  <T> ValueState<T> state(ValueStateDescriptor<T> descriptor);

  <T> ListState<T> listState(ListStateDescriptor<T> descriptor);

  <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor);

  <T> ReducingState<T> reducingState(ReducingStateDescriptor<T> descriptor);

  <T, A, R> AggregatingState<T, R> aggregatingState(AggregatingStateDescriptor<T, A, R> descriptor);
}
