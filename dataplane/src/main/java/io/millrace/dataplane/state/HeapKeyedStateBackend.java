package io.millrace.dataplane.state;

import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The named states and the timers of one keyed function. One key is current at a time, between
 * {@link #enter} and {@link #leave}; a key without a state and a timer is then removed.
 */
public final class HeapKeyedStateBackend {
  /** A state: the class of its descriptor and its values. */
  private record NamedState(Class<?> kind, ObjectColumn values) {}

  private final KeyIndex index = new KeyIndex();
  private final Map<String, NamedState> states = new LinkedHashMap<>();
  private final TimerQueue eventTimers = new TimerQueue();
  private final TimerQueue processingTimers = new TimerQueue();

  /** The number of states and timers of the key, by slot. */
  private int[] uses = new int[16];

  /** The number of slots that the columns have room for. */
  private int capacity = uses.length;

  private ObjectColumn[] columns = new ObjectColumn[0];
  private Object key;
  private int slot = -1;

  /** The number of keys with a state or a timer. */
  public int size() {
    return index.size();
  }

  public void enter(Object nextKey) {
    slot = index.slot(nextKey);
    if (slot >= capacity) {
      ensureCapacity();
    }
    key = nextKey;
  }

  public void leave() {
    if (uses[slot] == 0) {
      index.remove(slot);
    }
    slot = -1;
    key = null;
  }

  private void ensureCapacity() {
    capacity =
        slot < ObjectColumn.CHUNK
            ? ObjectColumn.firstChunkLength(slot)
            : (slot >>> ObjectColumn.CHUNK_BITS) + 1 << ObjectColumn.CHUNK_BITS;
    if (capacity > uses.length) {
      uses = Arrays.copyOf(uses, Math.max(capacity, uses.length + uses.length / 2));
    }
    for (ObjectColumn column : columns) {
      column.ensureCapacity(capacity - 1);
    }
  }

  public Object key() {
    return key;
  }

  // --- timers

  public void addEventTimer(long time) {
    if (eventTimers.add(time, currentSlot())) {
      uses[slot]++;
    }
  }

  public void addProcessingTimer(long time) {
    if (processingTimers.add(time, currentSlot())) {
      uses[slot]++;
    }
  }

  public void removeEventTimer(long time) {
    if (eventTimers.remove(time, currentSlot())) {
      uses[slot]--;
    }
  }

  public void removeProcessingTimer(long time) {
    if (processingTimers.remove(time, currentSlot())) {
      uses[slot]--;
    }
  }

  /** Whether there is an event-time timer at or before a time. */
  public boolean isEventTimerDue(long time) {
    return !eventTimers.isEmpty() && eventTimers.firstTime() <= time;
  }

  /** The time of the first processing-time timer, {@link Long#MAX_VALUE} if there is none. */
  public long firstProcessingTimer() {
    return processingTimers.isEmpty() ? Long.MAX_VALUE : processingTimers.firstTime();
  }

  public boolean hasProcessingTimers() {
    return !processingTimers.isEmpty();
  }

  /** Removes the first event-time timer, enters its key and returns its time. */
  public long enterEventTimer() {
    return enterTimer(eventTimers);
  }

  /** Removes the first processing-time timer, enters its key and returns its time. */
  public long enterProcessingTimer() {
    return enterTimer(processingTimers);
  }

  private long enterTimer(TimerQueue timers) {
    long time = timers.firstTime();
    slot = timers.poll();
    uses[slot]--;
    key = index.key(slot);
    return time;
  }

  // --- states

  Object get(ObjectColumn column) {
    return column.get(currentSlot());
  }

  void set(ObjectColumn column, Object value) {
    Object previous = column.get(currentSlot());
    if (previous != value) {
      column.set(slot, value);
      if (previous == null) {
        uses[slot]++;
      } else if (value == null) {
        uses[slot]--;
      }
    }
  }

  private int currentSlot() {
    if (slot < 0) {
      throw new MillraceException(
          ErrorKind.USER,
          "There is no current key: keyed state and timers are used only inside process and onTimer.");
    }
    return slot;
  }

  private ObjectColumn column(StateDescriptor descriptor) {
    NamedState state = states.get(descriptor.name());
    if (state == null) {
      state = new NamedState(descriptor.getClass(), new ObjectColumn());
      state.values.ensureCapacity(capacity - 1);
      states.put(descriptor.name(), state);
      columns = Arrays.copyOf(columns, columns.length + 1);
      columns[columns.length - 1] = state.values;
    } else if (state.kind != descriptor.getClass()) {
      throw new MillraceException(
          ErrorKind.USER,
          "State '"
              + descriptor.name()
              + "' is declared by a "
              + descriptor.getClass().getSimpleName()
              + " and by a "
              + state.kind.getSimpleName()
              + ". Give each state of a function its own name.");
    }
    return state.values;
  }

  public <T> ValueState<T> value(ValueStateDescriptor<T> descriptor) {
    return new HeapStates.HeapValueState<>(this, column(descriptor));
  }

  public <T> ListState<T> list(ListStateDescriptor<T> descriptor) {
    return new HeapStates.HeapListState<>(this, column(descriptor));
  }

  public <K, V> MapState<K, V> map(MapStateDescriptor<K, V> descriptor) {
    return new HeapStates.HeapMapState<>(this, column(descriptor));
  }

  public <T> ReducingState<T> reducing(ReducingStateDescriptor<T> descriptor) {
    return new HeapStates.HeapReducingState<>(this, column(descriptor), descriptor.function());
  }

  public <T, A, R> AggregatingState<T, R> aggregating(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    return new HeapStates.HeapAggregatingState<>(this, column(descriptor), descriptor.function());
  }
}
