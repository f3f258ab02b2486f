package io.millrace.dataplane.state;

import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.ListState;
import io.millrace.api.state.MapState;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ValueState;
import io.millrace.dataplane.state.HeapKeyedStateBackend.NamedState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The handles of states with a time to live: they remove what has expired before each access. */
final class TtlStates {
  private TtlStates() {}

  record TtlValueState<T>(HeapKeyedStateBackend store, NamedState named, ValueState<T> state)
      implements ValueState<T> {
    @Override
    public T value() {
      store.beforeAccess(named);
      store.afterRead(named);
      return state.value();
    }

    @Override
    public void update(T value) {
      store.beforeAccess(named);
      state.update(value);
      store.afterWrite(named);
    }

    @Override
    public void clear() {
      state.clear();
    }
  }

  record TtlListState<T>(HeapKeyedStateBackend store, NamedState named, ListState<T> state)
      implements ListState<T> {
    @Override
    public List<T> values() {
      store.beforeAccess(named);
      store.afterRead(named);
      return state.values();
    }

    @Override
    public void add(T element) {
      store.beforeAccess(named);
      state.add(element);
      store.afterWrite(named);
    }

    @Override
    public void addAll(Iterable<? extends T> elements) {
      List<T> all = new ArrayList<>();
      elements.forEach(all::add);
      store.beforeAccess(named);
      state.addAll(all);
      if (!all.isEmpty()) {
        store.afterWrite(named);
      }
    }

    @Override
    public void update(Iterable<? extends T> elements) {
      store.beforeAccess(named);
      state.update(elements);
      store.afterWrite(named);
    }

    @Override
    public void clear() {
      state.clear();
    }
  }

  record TtlMapState<K, V>(HeapKeyedStateBackend store, NamedState named, MapState<K, V> state)
      implements MapState<K, V> {
    private MapState<K, V> read() {
      store.beforeAccess(named);
      store.afterRead(named);
      return state;
    }

    @Override
    public V get(K mapKey) {
      return read().get(mapKey);
    }

    @Override
    public void put(K mapKey, V value) {
      store.beforeAccess(named);
      state.put(mapKey, value);
      store.afterWrite(named);
    }

    @Override
    public void remove(K mapKey) {
      store.beforeAccess(named);
      state.remove(mapKey);
      store.afterWrite(named);
    }

    @Override
    public boolean contains(K mapKey) {
      return read().contains(mapKey);
    }

    @Override
    public boolean isEmpty() {
      return read().isEmpty();
    }

    @Override
    public Map<K, V> entries() {
      return read().entries();
    }

    @Override
    public void clear() {
      state.clear();
    }
  }

  record TtlReducingState<T>(HeapKeyedStateBackend store, NamedState named, ReducingState<T> state)
      implements ReducingState<T> {
    @Override
    public T value() {
      store.beforeAccess(named);
      store.afterRead(named);
      return state.value();
    }

    @Override
    public void add(T element) throws Exception {
      store.beforeAccess(named);
      state.add(element);
      store.afterWrite(named);
    }

    @Override
    public void clear() {
      state.clear();
    }
  }

  record TtlAggregatingState<T, R>(
      HeapKeyedStateBackend store, NamedState named, AggregatingState<T, R> state)
      implements AggregatingState<T, R> {
    @Override
    public R value() throws Exception {
      store.beforeAccess(named);
      store.afterRead(named);
      return state.value();
    }

    @Override
    public void add(T element) throws Exception {
      store.beforeAccess(named);
      state.add(element);
      store.afterWrite(named);
    }

    @Override
    public void clear() {
      state.clear();
    }
  }
}
