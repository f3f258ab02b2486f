package io.millrace.api;

import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.KeyedStateStore;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.window.TimeWindow;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The states of triggers or of window functions: one value per window of the current key and name,
 * which is written as a whole. A name has states of one type, so the casts are safe.
 */
@SuppressWarnings("unchecked")
record WindowStates(MapState<WindowStates.Name, Object> values) {
  /** A state of a window. */
  record Name(TimeWindow window, String name) {}

  /** The states of a window of the current key. */
  Of of(TimeWindow window) {
    return new Of(values, window);
  }

  /** Reduces the states of windows into that of the window that they were merged into. */
  <S> void merge(
      List<TimeWindow> absorbed, TimeWindow window, ReducingStateDescriptor<S> descriptor)
      throws Exception {
    S merged = null;
    for (TimeWindow each : absorbed) {
      S value = (S) values.get(new Name(each, descriptor.name()));
      if (value != null) {
        merged = merged == null ? value : descriptor.function().reduce(merged, value);
      }
    }
    if (merged != null) {
      values.put(new Name(window, descriptor.name()), merged);
    }
  }

  record Of(MapState<Name, Object> values, TimeWindow window) implements KeyedStateStore {
    private Cell cell(StateDescriptor descriptor) {
      if (descriptor.ttl().expires()) {
        throw new MillraceException(
            ErrorKind.USER,
            "State '"
                + descriptor.name()
                + "' belongs to a window and has a time to live. It ends with the window; use a"
                + " state of the key instead.");
      }
      return new Cell(values, new Name(window, descriptor.name()));
    }

    @Override
    public <T> ValueState<T> state(ValueStateDescriptor<T> descriptor) {
      return new Value<>(cell(descriptor));
    }

    @Override
    public <T> ListState<T> listState(ListStateDescriptor<T> descriptor) {
      return new Elements<>(cell(descriptor));
    }

    @Override
    public <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor) {
      return new Entries<>(cell(descriptor));
    }

    @Override
    public <T> ReducingState<T> reducingState(ReducingStateDescriptor<T> descriptor) {
      return new Reducing<>(cell(descriptor), descriptor);
    }

    @Override
    public <T, A, R> AggregatingState<T, R> aggregatingState(
        AggregatingStateDescriptor<T, A, R> descriptor) {
      return new Aggregating<>(cell(descriptor), descriptor);
    }
  }

  /** The value of a state. */
  private record Cell(MapState<Name, Object> values, Name name) {
    Object get() {
      return values.get(name);
    }

    void put(Object value) {
      values.put(name, value);
    }

    void clear() {
      values.remove(name);
    }
  }

  private record Value<S>(Cell cell) implements ValueState<S> {
    @Override
    public S value() {
      return (S) cell.get();
    }

    @Override
    public void update(S value) {
      if (value == null) {
        clear();
      } else {
        cell.put(value);
      }
    }

    @Override
    public void clear() {
      cell.clear();
    }
  }

  private record Elements<S>(Cell cell) implements ListState<S> {
    @Override
    public List<S> values() {
      List<S> elements = (List<S>) cell.get();
      return elements == null ? List.of() : Collections.unmodifiableList(elements);
    }

    @Override
    public void add(S element) {
      List<S> more = new ArrayList<>(values());
      more.add(element);
      cell.put(more);
    }

    @Override
    public void addAll(Iterable<? extends S> elements) {
      List<S> more = new ArrayList<>(values());
      elements.forEach(more::add);
      replace(more);
    }

    @Override
    public void update(Iterable<? extends S> elements) {
      List<S> all = new ArrayList<>();
      elements.forEach(all::add);
      replace(all);
    }

    private void replace(List<S> all) {
      if (all.isEmpty()) {
        clear();
      } else {
        cell.put(all);
      }
    }

    @Override
    public void clear() {
      cell.clear();
    }
  }

  private record Entries<K, V>(Cell cell) implements MapState<K, V> {
    @Override
    public Map<K, V> entries() {
      Map<K, V> entries = (Map<K, V>) cell.get();
      return entries == null ? Map.of() : Collections.unmodifiableMap(entries);
    }

    @Override
    public V get(K mapKey) {
      return entries().get(mapKey);
    }

    @Override
    public void put(K mapKey, V value) {
      Map<K, V> more = new LinkedHashMap<>(entries());
      more.put(mapKey, value);
      cell.put(more);
    }

    @Override
    public void remove(K mapKey) {
      Map<K, V> fewer = new LinkedHashMap<>(entries());
      fewer.remove(mapKey);
      if (fewer.isEmpty()) {
        clear();
      } else {
        cell.put(fewer);
      }
    }

    @Override
    public boolean contains(K mapKey) {
      return entries().containsKey(mapKey);
    }

    @Override
    public boolean isEmpty() {
      return entries().isEmpty();
    }

    @Override
    public void clear() {
      cell.clear();
    }
  }

  private record Reducing<S>(Cell cell, ReducingStateDescriptor<S> descriptor)
      implements ReducingState<S> {
    @Override
    public S value() {
      return (S) cell.get();
    }

    @Override
    public void add(S element) throws Exception {
      S before = value();
      cell.put(before == null ? element : descriptor.function().reduce(before, element));
    }

    @Override
    public void clear() {
      cell.clear();
    }
  }

  private record Aggregating<T, A, R>(Cell cell, AggregatingStateDescriptor<T, A, R> descriptor)
      implements AggregatingState<T, R> {
    @Override
    public R value() throws Exception {
      A accumulator = (A) cell.get();
      return accumulator == null ? null : descriptor.function().result(accumulator);
    }

    @Override
    public void add(T element) throws Exception {
      A before = (A) cell.get();
      cell.put(
          descriptor
              .function()
              .add(before == null ? descriptor.function().create() : before, element));
    }

    @Override
    public void clear() {
      cell.clear();
    }
  }
}
