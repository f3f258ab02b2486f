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
import io.millrace.dataplane.records.ValueCopier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The named states and the timers of one keyed function. One key is current at a time, between
 * {@link #enter} and {@link #leave}; a key without a state and a timer is then removed.
 */
public final class HeapKeyedStateBackend {
  /** A state: its kind and its values. */
  private record NamedState(StateKind kind, ObjectColumn values) {}

  private static final StateInfo EVENT_TIMERS =
      new StateInfo("event-timers", StateKind.EVENT_TIMERS, false);
  private static final StateInfo PROCESSING_TIMERS =
      new StateInfo("processing-timers", StateKind.PROCESSING_TIMERS, false);

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

  private long restoredWatermark = Long.MIN_VALUE;
  private final ValueCopier copier;
  private final String prefix;
  private boolean isOpened;

  /**
   * @param copier copies values that a program may change while a snapshot has them
   */
  public HeapKeyedStateBackend(ValueCopier copier) {
    this(copier, "");
  }

  /**
   * @param prefix of the names of states in checkpoints, for an operator that has other states, too
   */
  public HeapKeyedStateBackend(ValueCopier copier, String prefix) {
    this.copier = copier;
    this.prefix = prefix;
  }

  /** Refuses states that are asked for later; returns whether there is one. */
  public boolean opened() {
    isOpened = true;
    return !states.isEmpty();
  }

  /** Whether a state of a checkpoint is one of this function. */
  public boolean owns(StateInfo state) {
    return state.name().startsWith(prefix);
  }

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

  /** The value of the current key, which the caller does not change in place. */
  Object read(ObjectColumn column) {
    return column.get(currentSlot());
  }

  /** The value of the current key, which a program may change in place. */
  Object get(ObjectColumn column) {
    return column.isFrozen() ? own(column, currentSlot()) : column.get(currentSlot());
  }

  private Object own(ObjectColumn column, int at) {
    Object value = column.get(at);
    if (!column.isShared(at)) {
      return value;
    }
    Object own =
        value instanceof ElementList list
            ? list.copy(copier)
            : value instanceof EntryMap map ? map.copy(copier) : copier.apply(value);
    if (own != value) {
      column.set(at, own);
    }
    return own;
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
          "There is no current key: keyed state and timers are used only while a function is called"
              + " for a record, a timer or a window.");
    }
    return slot;
  }

  private ObjectColumn column(StateDescriptor descriptor, StateKind kind) {
    return column(descriptor.name(), kind);
  }

  private ObjectColumn column(String name, StateKind kind) {
    NamedState named = states.get(name);
    if (named == null) {
      if (isOpened) {
        throw new MillraceException(
            ErrorKind.USER,
            "State '"
                + name
                + "' is asked for after open. A function asks for all its states in open.");
      }
      named = new NamedState(kind, new ObjectColumn());
      named.values.ensureCapacity(capacity - 1);
      states.put(name, named);
      columns = Arrays.copyOf(columns, columns.length + 1);
      columns[columns.length - 1] = named.values;
    } else if (named.kind != kind) {
      throw new MillraceException(
          ErrorKind.USER,
          "State '"
              + name
              + "' is asked for by a "
              + kind.descriptor()
              + " and is that of a "
              + named.kind.descriptor()
              + " in this function or in the checkpoint that it starts with. Give each state of a"
              + " function a name of its own.");
    }
    return named.values;
  }

  public <T> ValueState<T> value(ValueStateDescriptor<T> descriptor) {
    return new HeapStates.HeapValueState<>(this, column(descriptor, StateKind.VALUE));
  }

  public <T> ListState<T> list(ListStateDescriptor<T> descriptor) {
    return new HeapStates.HeapListState<>(this, column(descriptor, StateKind.LIST));
  }

  public <K, V> MapState<K, V> map(MapStateDescriptor<K, V> descriptor) {
    return new HeapStates.HeapMapState<>(this, column(descriptor, StateKind.MAP));
  }

  public <T> ReducingState<T> reducing(ReducingStateDescriptor<T> descriptor) {
    return new HeapStates.HeapReducingState<>(
        this, column(descriptor, StateKind.REDUCING), descriptor.function());
  }

  public <T, A, R> AggregatingState<T, R> aggregating(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    return new HeapStates.HeapAggregatingState<>(
        this, column(descriptor, StateKind.AGGREGATING), descriptor.function());
  }

  // --- snapshots

  /** All states and timers as they are now. */
  public List<StatePart> freeze() {
    FrozenKeys keys = index.freeze();
    List<StatePart> parts = new ArrayList<>();
    states.forEach(
        (name, named) ->
            parts.add(
                new FrozenState(
                    new StateInfo(prefix + name, named.kind, false),
                    keys,
                    named.values.freeze(),
                    named.values::release)));
    parts.add(new FrozenTimers(EVENT_TIMERS, keys, eventTimers.copy(), keys::release));
    parts.add(new FrozenTimers(PROCESSING_TIMERS, keys, processingTimers.copy(), () -> {}));
    return parts;
  }

  /** Whether there is a snapshot that is not released. */
  boolean isFrozen() {
    return Arrays.stream(columns).anyMatch(ObjectColumn::isFrozen);
  }

  /** Sets the event time that the function had reached in the checkpoint it starts with. */
  public void restoreWatermark(long reached) {
    restoredWatermark = reached;
  }

  /** The event time of the checkpoint, {@link Long#MIN_VALUE} without one. */
  public long restoredWatermark() {
    return restoredWatermark;
  }

  /** Adds an entry of a checkpoint. */
  public void restore(StateInfo state, Object restoredKey, Object value) {
    enter(restoredKey);
    switch (state.kind()) {
      case EVENT_TIMERS -> addEventTimer((long) value);
      case PROCESSING_TIMERS -> addProcessingTimer((long) value);
      case LIST -> {
        ElementList list = new ElementList();
        ((Collection<?>) value).forEach(list::add);
        set(column(nameOf(state), state.kind()), list);
      }
      case MAP -> {
        EntryMap map = new EntryMap();
        ((Map<?, ?>) value).forEach(map::put);
        set(column(nameOf(state), state.kind()), map);
      }
      case VALUE, REDUCING, AGGREGATING -> set(column(nameOf(state), state.kind()), value);
    }
    leave();
  }

  private String nameOf(StateInfo state) {
    return state.name().substring(prefix.length());
  }

  private record FrozenState(
      StateInfo info, FrozenKeys keys, Object[][] values, Runnable whenReleased)
      implements StatePart {
    @Override
    public void entries(int slot, EntryConsumer out) {
      Object[] chunk = values[slot >>> ObjectColumn.CHUNK_BITS];
      int at = slot & ObjectColumn.CHUNK_MASK;
      Object value = at < chunk.length ? chunk[at] : null;
      if (value instanceof ElementList list) {
        out.accept(0, 0, new ArrayList<>(list.read()));
      } else if (value instanceof EntryMap map) {
        out.accept(0, 0, new LinkedHashMap<>(map.read()));
      } else if (value != null) {
        out.accept(0, 0, value);
      }
    }

    @Override
    public void release() {
      whenReleased.run();
    }
  }

  /** Timers by slot, which an I/O thread sorts when it reads the first one. */
  private static final class FrozenTimers implements StatePart {
    private final StateInfo info;
    private final FrozenKeys keys;
    private final Runnable whenReleased;
    private final long[] pairs;
    private long[][] bySlot;

    FrozenTimers(StateInfo info, FrozenKeys keys, long[] pairs, Runnable whenReleased) {
      this.info = info;
      this.keys = keys;
      this.pairs = pairs;
      this.whenReleased = whenReleased;
    }

    @Override
    public StateInfo info() {
      return info;
    }

    @Override
    public FrozenKeys keys() {
      return keys;
    }

    @Override
    public void entries(int slot, EntryConsumer out) {
      if (bySlot == null) {
        bySlot = bySlot();
      }
      if (bySlot[slot] != null) {
        for (long time : bySlot[slot]) {
          out.accept(0, 0, time);
        }
      }
    }

    private long[][] bySlot() {
      long[][] times = new long[keys.end()][];
      for (int i = 0; i < pairs.length; i += 2) {
        if (pairs[i + 1] != 0) {
          int slot = (int) (pairs[i + 1] - 1);
          long[] before = times[slot] == null ? new long[0] : times[slot];
          times[slot] = Arrays.copyOf(before, before.length + 1);
          times[slot][before.length] = pairs[i];
        }
      }
      return times;
    }

    @Override
    public void release() {
      whenReleased.run();
    }
  }
}
