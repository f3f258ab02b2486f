package io.millrace.api;

import io.millrace.api.state.MapState;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.window.TimeWindow;
import java.util.List;

/**
 * The states of triggers: one value per window of the current key and name. A trigger uses a name
 * for states of one type, so the casts are safe.
 */
@SuppressWarnings("unchecked")
record TriggerStates(MapState<TriggerStates.Name, Object> values) {
  /** A state of a window. */
  record Name(TimeWindow window, String name) {}

  <S> ValueState<S> value(TimeWindow window, ValueStateDescriptor<S> descriptor) {
    return new Value<>(values, new Name(window, descriptor.name()));
  }

  <S> ReducingState<S> reducing(TimeWindow window, ReducingStateDescriptor<S> descriptor) {
    return new Reducing<>(values, new Name(window, descriptor.name()), descriptor);
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

  private record Value<S>(MapState<Name, Object> values, Name name) implements ValueState<S> {
    @Override
    public S value() {
      return (S) values.get(name);
    }

    @Override
    public void update(S value) {
      if (value == null) {
        clear();
      } else {
        values.put(name, value);
      }
    }

    @Override
    public void clear() {
      values.remove(name);
    }
  }

  private record Reducing<S>(
      MapState<Name, Object> values, Name name, ReducingStateDescriptor<S> descriptor)
      implements ReducingState<S> {
    @Override
    public S value() {
      return (S) values.get(name);
    }

    @Override
    public void add(S element) throws Exception {
      S before = value();
      values.put(name, before == null ? element : descriptor.function().reduce(before, element));
    }

    @Override
    public void clear() {
      values.remove(name);
    }
  }
}
