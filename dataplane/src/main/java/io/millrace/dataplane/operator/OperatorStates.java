package io.millrace.dataplane.operator;

import io.millrace.api.state.BroadcastState;
import io.millrace.api.state.ListState;
import io.millrace.dataplane.snapshot.OperatorStateBackend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The handles of operator states. A state is written only through handles of the same type, so the
 * casts are safe.
 */
@SuppressWarnings("unchecked")
final class OperatorStates {
  private OperatorStates() {}

  record OperatorListState<T>(OperatorStateBackend.OperatorList list) implements ListState<T> {
    @Override
    public List<T> values() {
      return (List<T>) Collections.unmodifiableList(new ArrayList<>(list.elements()));
    }

    @Override
    public void add(T element) {
      list.add(checked(element));
    }

    private static Object checked(Object element) {
      return Objects.requireNonNull(element, "An element of a list state is not null");
    }

    @Override
    public void addAll(Iterable<? extends T> elements) {
      elements.forEach(this::add);
    }

    @Override
    public void update(Iterable<? extends T> elements) {
      List<Object> replacement = new ArrayList<>();
      elements.forEach(element -> replacement.add(checked(element)));
      list.update(replacement);
    }

    @Override
    public void clear() {
      list.clear();
    }
  }

  record BroadcastMapState<K, V>(OperatorStateBackend.OperatorMap map)
      implements BroadcastState<K, V> {
    @Override
    public V get(K mapKey) {
      return (V) map.entries().get(mapKey);
    }

    @Override
    public void put(K mapKey, V value) {
      map.put(
          Objects.requireNonNull(mapKey, "A key of a broadcast state is not null"),
          Objects.requireNonNull(value, "A value of a map state is not null"));
    }

    @Override
    public void remove(K mapKey) {
      map.remove(mapKey);
    }

    @Override
    public boolean contains(K mapKey) {
      return map.entries().containsKey(mapKey);
    }

    @Override
    public boolean isEmpty() {
      return map.entries().isEmpty();
    }

    @Override
    public Map<K, V> entries() {
      return (Map<K, V>) map.entries();
    }

    @Override
    public void clear() {
      map.clear();
    }
  }
}
