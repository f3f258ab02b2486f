package io.millrace.dataplane.state;

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
 * The handles of states. A column is written only through handles of the same type, so the casts
 * are safe.
 */
@SuppressWarnings("unchecked")
final class HeapStates {
  private HeapStates() {}

  record HeapValueState<T>(HeapKeyedStateBackend store, ObjectColumn column)
      implements ValueState<T> {
    @Override
    public T value() {
      return (T) store.get(column);
    }

    @Override
    public void update(T value) {
      store.set(column, value);
    }

    @Override
    public void clear() {
      store.set(column, null);
    }
  }

  record HeapListState<T>(HeapKeyedStateBackend store, ObjectColumn column)
      implements ListState<T> {
    private ElementList list() {
      return (ElementList) store.get(column);
    }

    @Override
    public List<T> values() {
      ElementList list = list();
      return list == null ? List.of() : (List<T>) list.read();
    }

    @Override
    public void add(T element) {
      ElementList list = (ElementList) store.getToChange(column);
      if (list == null) {
        list = new ElementList();
        list.add(checked(element));
        store.set(column, list);
      } else {
        list.add(checked(element));
      }
    }

    private static Object checked(Object element) {
      return Objects.requireNonNull(element, "An element of a list state is not null");
    }

    @Override
    public void addAll(Iterable<? extends T> elements) {
      // All or none: a null among them adds nothing.
      List<T> all = new ArrayList<>();
      elements.forEach(element -> all.add((T) checked(element)));
      all.forEach(this::add);
    }

    @Override
    public void update(Iterable<? extends T> elements) {
      ElementList list = new ElementList();
      for (T element : elements) {
        list.add(checked(element));
      }
      store.set(column, list.isEmpty() ? null : list);
    }

    @Override
    public void clear() {
      store.set(column, null);
    }
  }

  record HeapMapState<K, V>(HeapKeyedStateBackend store, ObjectColumn column)
      implements MapState<K, V> {
    private EntryMap map() {
      return (EntryMap) store.get(column);
    }

    @Override
    public V get(K mapKey) {
      EntryMap map = map();
      return map == null ? null : (V) map.get(mapKey);
    }

    @Override
    public void put(K mapKey, V value) {
      Objects.requireNonNull(value, "A value of a map state is not null");
      EntryMap map = (EntryMap) store.getToChange(column);
      if (map == null) {
        map = new EntryMap();
        store.set(column, map);
      }
      map.put(mapKey, value);
    }

    @Override
    public void remove(K mapKey) {
      EntryMap map = (EntryMap) store.getToChange(column);
      if (map != null && map.remove(mapKey) && map.size() == 0) {
        store.set(column, null);
      }
    }

    @Override
    public boolean contains(K mapKey) {
      EntryMap map = (EntryMap) store.read(column);
      return map != null && map.contains(mapKey);
    }

    @Override
    public boolean isEmpty() {
      return store.read(column) == null;
    }

    @Override
    public Map<K, V> entries() {
      EntryMap map = map();
      return map == null ? Collections.emptyMap() : (Map<K, V>) map.read();
    }

    @Override
    public void clear() {
      store.set(column, null);
    }
  }

  record HeapReducingState<T>(
      HeapKeyedStateBackend store, ObjectColumn column, ReduceFunction<T> function)
      implements ReducingState<T> {
    @Override
    public T value() {
      return (T) store.read(column);
    }

    @Override
    public void add(T element) throws Exception {
      T previous = value();
      store.set(column, previous == null ? element : function.reduce(previous, element));
    }

    @Override
    public void clear() {
      store.set(column, null);
    }
  }

  record HeapAggregatingState<T, A, R>(
      HeapKeyedStateBackend store, ObjectColumn column, AggregateFunction<T, A, R> function)
      implements AggregatingState<T, R> {
    @Override
    public R value() throws Exception {
      A accumulator = (A) store.get(column);
      return accumulator == null ? null : function.result(accumulator);
    }

    @Override
    public void add(T element) throws Exception {
      A previous = (A) store.get(column);
      store.set(column, function.add(previous == null ? function.create() : previous, element));
    }

    @Override
    public void clear() {
      store.set(column, null);
    }
  }
}
