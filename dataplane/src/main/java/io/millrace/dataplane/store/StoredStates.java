package io.millrace.dataplane.store;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.ListState;
import io.millrace.api.state.MapState;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ValueState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The handles of states. A table is written only through handles of the same type, so the casts are
 * safe.
 */
@SuppressWarnings("unchecked")
final class StoredStates {
  private StoredStates() {}

  record StoredValueState<T>(StoredEntries entries) implements ValueState<T> {
    @Override
    public T value() {
      return (T) entries.get();
    }

    @Override
    public void update(T value) {
      entries.put(value);
    }

    @Override
    public void clear() {
      entries.clear();
    }
  }

  record StoredListState<T>(StoredEntries entries) implements ListState<T> {
    @Override
    public List<T> values() {
      return (List<T>) Collections.unmodifiableList(entries.getList());
    }

    @Override
    public void add(T element) {
      entries.addAll(List.of(checked(element)));
    }

    private static Object checked(Object element) {
      return Objects.requireNonNull(element, "An element of a list state is not null");
    }

    private static List<Object> checked(Iterable<?> elements) {
      List<Object> all = new ArrayList<>();
      elements.forEach(element -> all.add(checked(element)));
      return all;
    }

    @Override
    public void addAll(Iterable<? extends T> elements) {
      entries.addAll(checked(elements));
    }

    @Override
    public void update(Iterable<? extends T> elements) {
      entries.putList(checked(elements));
    }

    @Override
    public void clear() {
      entries.clear();
    }
  }

  record StoredMapState<K, V>(StoredEntries entryStore) implements MapState<K, V> {
    @Override
    public V get(K mapKey) {
      return (V) entryStore.getEntry(mapKey);
    }

    @Override
    public void put(K mapKey, V value) {
      entryStore.putEntry(
          mapKey, Objects.requireNonNull(value, "A value of a map state is not null"));
    }

    @Override
    public void remove(K mapKey) {
      entryStore.removeEntry(mapKey);
    }

    @Override
    public boolean contains(K mapKey) {
      return entryStore.hasEntry(mapKey);
    }

    @Override
    public boolean isEmpty() {
      return entryStore.isMapEmpty();
    }

    @Override
    public Map<K, V> entries() {
      return (Map<K, V>) Collections.unmodifiableMap(entryStore.getMap());
    }

    @Override
    public void clear() {
      entryStore.clearMap();
    }
  }

  record StoredReducingState<T>(StoredEntries entries, ReduceFunction<T> function)
      implements ReducingState<T> {
    @Override
    public T value() {
      return (T) entries.get();
    }

    @Override
    public void add(T element) throws Exception {
      T previous = (T) entries.get(false);
      entries.put(previous == null ? element : function.reduce(previous, element));
    }

    @Override
    public void clear() {
      entries.clear();
    }
  }

  record StoredAggregatingState<T, A, R>(StoredEntries entries, AggregateFunction<T, A, R> function)
      implements AggregatingState<T, R> {
    @Override
    public R value() throws Exception {
      A accumulator = (A) entries.get();
      return accumulator == null ? null : function.result(accumulator);
    }

    @Override
    public void add(T element) throws Exception {
      A previous = (A) entries.get(false);
      entries.put(function.add(previous == null ? function.create() : previous, element));
    }

    @Override
    public void clear() {
      entries.clear();
    }
  }
}
