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
 * The named states and the timers of one keyed function. One key is at work at a time, between
 * {@link #enter} and {@link #leave}; a key that then has neither a state nor a timer is forgotten.
 */
public final class HeapKeyedStateBackend {
  /** A state: of which kind it is, and where its values are. */
  private record Named(Class<?> kind, ObjectColumn values) {}

  private final KeyIndex index = new KeyIndex();
  private final Map<String, Named> states = new LinkedHashMap<>();
  private final TimerQueue eventTimers = new TimerQueue();
  private final TimerQueue processingTimers = new TimerQueue();

  /** By slot, how many states and timers the key has. */
  private int[] uses = new int[16];

  /** How many slots the columns have room for. */
  private int reached = uses.length;

  private ObjectColumn[] columns = new ObjectColumn[0];
  private Object key;
  private int slot = -1;

  /** How many keys have something. */
  public int size() {
    return index.size();
  }

  public void enter(Object entered) {
    slot = index.slot(entered);
    if (slot >= reached) {
      reach();
    }
    key = entered;
  }

  public void leave() {
    if (uses[slot] == 0) {
      index.remove(slot);
    }
    slot = -1;
    key = null;
  }

  private void reach() {
    reached =
        slot < ObjectColumn.CHUNK
            ? ObjectColumn.lengthOfFirst(slot)
            : (slot >>> ObjectColumn.CHUNK_BITS) + 1 << ObjectColumn.CHUNK_BITS;
    if (reached > uses.length) {
      uses = Arrays.copyOf(uses, Math.max(reached, uses.length + uses.length / 2));
    }
    for (ObjectColumn column : columns) {
      column.reach(reached - 1);
    }
  }

  public Object key() {
    return key;
  }

  // --- timers

  public void addEventTimer(long time) {
    if (eventTimers.add(time, at())) {
      uses[slot]++;
    }
  }

  public void addProcessingTimer(long time) {
    if (processingTimers.add(time, at())) {
      uses[slot]++;
    }
  }

  public void removeEventTimer(long time) {
    if (eventTimers.remove(time, at())) {
      uses[slot]--;
    }
  }

  public void removeProcessingTimer(long time) {
    if (processingTimers.remove(time, at())) {
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

  /** Takes the first event-time timer out, enters its key and returns its time. */
  public long enterEventTimer() {
    return enterTimer(eventTimers);
  }

  /** Takes the first processing-time timer out, enters its key and returns its time. */
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
    return column.get(at());
  }

  void set(ObjectColumn column, Object value) {
    Object before = column.get(at());
    if (before != value) {
      column.set(slot, value);
      if (before == null) {
        uses[slot]++;
      } else if (value == null) {
        uses[slot]--;
      }
    }
  }

  private int at() {
    if (slot < 0) {
      throw new MillraceException(
          ErrorKind.USER,
          "No key is at work: keyed state and timers are used only inside process and onTimer.");
    }
    return slot;
  }

  private ObjectColumn column(StateDescriptor descriptor) {
    Named named = states.get(descriptor.name());
    if (named == null) {
      named = new Named(descriptor.getClass(), new ObjectColumn());
      named.values.reach(reached - 1);
      states.put(descriptor.name(), named);
      columns = Arrays.copyOf(columns, columns.length + 1);
      columns[columns.length - 1] = named.values;
    } else if (named.kind != descriptor.getClass()) {
      throw new MillraceException(
          ErrorKind.USER,
          "State '"
              + descriptor.name()
              + "' is asked for by a "
              + descriptor.getClass().getSimpleName()
              + " and by a "
              + named.kind.getSimpleName()
              + ". Give each state of a function a name of its own.");
    }
    return named.values;
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
