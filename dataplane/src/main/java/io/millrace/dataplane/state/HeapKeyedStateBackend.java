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
import io.millrace.api.state.StateTtl;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.dataplane.records.ValueCopier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The named states and the timers of one keyed function. One key is current at a time, between
 * {@link #enter} and {@link #leave}; a key without a state and a timer is then removed.
 */
public final class HeapKeyedStateBackend extends KeyedStateBackend {
  /** The number of other keys that an access of a state with a time to live checks. */
  private static final int CLEANED_PER_ACCESS = 2;

  /** A state: its kind, its values and, with a time to live, the times of their last updates. */
  static final class NamedState {
    final StateKind kind;
    final ObjectColumn values = new ObjectColumn();

    /** Null if no time is stored. */
    private LongColumn times;

    /** As the function asked for; null if it did not. */
    private StateTtl asked;

    private long timeToLive;
    private boolean updatedByReads;

    /** The next slot to check. */
    private int cleaning;

    NamedState(StateKind kind) {
      this.kind = kind;
    }

    private boolean isExpired(int at, long now) {
      return isExpired(times.get(at), timeToLive, now);
    }

    static boolean isExpired(long updated, long timeToLive, long now) {
      // Not as a sum, which may overflow.
      return now - updated >= timeToLive;
    }
  }

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

  private final ValueCopier copier;
  private final LongSupplier clock;
  private final String prefix;
  private boolean isOpened;

  /**
   * @param copier copies values that a program may change while a snapshot has them
   * @param clock processing time, for states with a time to live
   * @param prefix of the names of states in checkpoints, for an operator that has other states, too
   */
  public HeapKeyedStateBackend(ValueCopier copier, LongSupplier clock, String prefix) {
    this.copier = copier;
    this.clock = clock;
    this.prefix = prefix;
  }

  /** Refuses states that are asked for later; returns whether there is one. */
  @Override
  public boolean opened() {
    isOpened = true;
    return !states.isEmpty();
  }

  /** Whether a state of a checkpoint is one of this function. */
  @Override
  public boolean owns(StateInfo state) {
    return state.name().startsWith(prefix);
  }

  /** The number of keys with a state or a timer. */
  public int size() {
    return index.size();
  }

  @Override
  public void enter(Object nextKey) {
    slot = index.slot(nextKey);
    if (slot >= capacity) {
      ensureCapacity();
    }
    key = nextKey;
  }

  @Override
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

  @Override
  public Object key() {
    return key;
  }

  // --- timers

  @Override
  public void addEventTimer(long time) {
    if (eventTimers.add(time, currentSlot())) {
      uses[slot]++;
    }
  }

  @Override
  public void addProcessingTimer(long time) {
    if (processingTimers.add(time, currentSlot())) {
      uses[slot]++;
    }
  }

  @Override
  public void removeEventTimer(long time) {
    if (eventTimers.remove(time, currentSlot())) {
      uses[slot]--;
    }
  }

  @Override
  public void removeProcessingTimer(long time) {
    if (processingTimers.remove(time, currentSlot())) {
      uses[slot]--;
    }
  }

  /** Whether there is an event-time timer at or before a time. */
  @Override
  public boolean isEventTimerDue(long time) {
    return !eventTimers.isEmpty() && eventTimers.firstTime() <= time;
  }

  /** The time of the first processing-time timer, {@link Long#MAX_VALUE} if there is none. */
  @Override
  public long firstProcessingTimer() {
    return processingTimers.isEmpty() ? Long.MAX_VALUE : processingTimers.firstTime();
  }

  @Override
  public boolean hasProcessingTimers() {
    return !processingTimers.isEmpty();
  }

  /** Removes the first event-time timer, enters its key and returns its time. */
  @Override
  public long enterEventTimer() {
    return enterTimer(eventTimers);
  }

  /** Removes the first processing-time timer, enters its key and returns its time. */
  @Override
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

  /** The list or map of the current key, to which an element is added or removed. */
  Object getToChange(ObjectColumn column) {
    return column.isFrozen() ? ownCollection(column, currentSlot()) : column.get(currentSlot());
  }

  private Object ownCollection(ObjectColumn column, int at) {
    Object value = column.get(at);
    if (!column.isShared(at)) {
      return value;
    }
    Object own =
        value instanceof ElementList list
            ? list.copy()
            : value instanceof EntryMap map ? map.copy() : value;
    if (own != value) {
      column.set(at, own);
    }
    return own;
  }

  private Object own(ObjectColumn column, int at) {
    Object value = ownCollection(column, at);
    if (value instanceof ElementList list) {
      list.ownElements(copier);
    } else if (value instanceof EntryMap map) {
      map.ownValues(copier);
    } else if (column.isShared(at)) {
      Object own = copier.apply(value);
      if (own != value) {
        column.set(at, own);
      }
      return own;
    }
    return value;
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
      throw StateErrors.noCurrentKey();
    }
    return slot;
  }

  private NamedState state(StateDescriptor descriptor, StateKind kind) {
    NamedState named = state(descriptor.name(), kind);
    StateTtl ttl = descriptor.ttl();
    if (named.asked != null && !named.asked.equals(ttl)) {
      throw StateErrors.twoTimesToLive(descriptor.name());
    }
    named.asked = ttl;
    if (!ttl.expires()) {
      // The checkpoint may have times, which the program does not need any more.
      named.times = null;
      return named;
    }
    named.timeToLive = ttl.timeToLive().toMillis();
    named.updatedByReads = ttl.updateType() == StateTtl.UpdateType.ON_READ_AND_WRITE;
    if (named.times == null) {
      named.times = new LongColumn();
      long now = clock.getAsLong();
      for (int at = index.next(0); at >= 0; at = index.next(at + 1)) {
        named.times.setAnywhere(at, now);
      }
    }
    return named;
  }

  @Override
  public List<Object> keysOf(String name) {
    ObjectColumn values = states.get(name).values;
    List<Object> keys = new ArrayList<>();
    for (int at = index.next(0); at >= 0; at = index.next(at + 1)) {
      if (values.get(at) != null) {
        keys.add(index.key(at));
      }
    }
    return keys;
  }

  // --- time to live

  /**
   * Removes the value of the current key if it has expired, and some expired ones of other keys.
   */
  void beforeAccess(NamedState named) {
    long now = clock.getAsLong();
    if (named.values.get(currentSlot()) != null && named.isExpired(slot, now)) {
      set(named.values, null);
    }
    for (int i = 0; i < CLEANED_PER_ACCESS; i++) {
      int at = index.next(named.cleaning);
      named.cleaning = at + 1;
      if (at >= 0 && at != slot && named.values.get(at) != null && named.isExpired(at, now)) {
        named.values.set(at, null);
        if (--uses[at] == 0) {
          index.remove(at);
        }
      }
    }
  }

  /** The current key has read its value. */
  void afterRead(NamedState named) {
    if (named.updatedByReads) {
      afterWrite(named);
    }
  }

  /** The current key has written its value. */
  void afterWrite(NamedState named) {
    if (named.values.get(slot) != null) {
      named.times.setAnywhere(slot, clock.getAsLong());
    }
  }

  private NamedState state(String name, StateKind kind) {
    NamedState named = states.get(name);
    if (named == null) {
      if (isOpened) {
        throw StateErrors.afterOpen(name);
      }
      named = new NamedState(kind);
      named.values.ensureCapacity(capacity - 1);
      states.put(name, named);
      columns = Arrays.copyOf(columns, columns.length + 1);
      columns[columns.length - 1] = named.values;
    } else if (named.kind != kind) {
      throw StateErrors.otherKind(name, kind, named.kind);
    }
    return named;
  }

  @Override
  public <T> ValueState<T> value(ValueStateDescriptor<T> descriptor) {
    NamedState named = state(descriptor, StateKind.VALUE);
    ValueState<T> state = new HeapStates.HeapValueState<>(this, named.values);
    return named.times == null ? state : new TtlStates.TtlValueState<>(this, named, state);
  }

  @Override
  public <T> ListState<T> list(ListStateDescriptor<T> descriptor) {
    NamedState named = state(descriptor, StateKind.LIST);
    ListState<T> state = new HeapStates.HeapListState<>(this, named.values);
    return named.times == null ? state : new TtlStates.TtlListState<>(this, named, state);
  }

  @Override
  public <K, V> MapState<K, V> map(MapStateDescriptor<K, V> descriptor) {
    NamedState named = state(descriptor, StateKind.MAP);
    MapState<K, V> state = new HeapStates.HeapMapState<>(this, named.values);
    return named.times == null ? state : new TtlStates.TtlMapState<>(this, named, state);
  }

  @Override
  public <T> ReducingState<T> reducing(ReducingStateDescriptor<T> descriptor) {
    NamedState named = state(descriptor, StateKind.REDUCING);
    ReducingState<T> state =
        new HeapStates.HeapReducingState<>(this, named.values, descriptor.function());
    return named.times == null ? state : new TtlStates.TtlReducingState<>(this, named, state);
  }

  @Override
  public <T, A, R> AggregatingState<T, R> aggregating(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    NamedState named = state(descriptor, StateKind.AGGREGATING);
    AggregatingState<T, R> state =
        new HeapStates.HeapAggregatingState<>(this, named.values, descriptor.function());
    return named.times == null ? state : new TtlStates.TtlAggregatingState<>(this, named, state);
  }

  // --- snapshots

  /** All states and timers as they are now. */
  @Override
  public List<StatePart> freeze() {
    FrozenKeys keys = index.freeze();
    List<StatePart> parts = new ArrayList<>();
    states.forEach((name, named) -> parts.add(freeze(prefix + name, named, keys)));
    parts.add(new FrozenTimers(StateInfo.EVENT_TIMERS, keys, eventTimers.copy(), keys::release));
    parts.add(
        new FrozenTimers(StateInfo.PROCESSING_TIMERS, keys, processingTimers.copy(), () -> {}));
    return parts;
  }

  private StatePart freeze(String name, NamedState named, FrozenKeys keys) {
    StateInfo info = new StateInfo(name, named.kind, false, named.times != null);
    Object[][] values = named.values.freeze();
    LongColumn times = named.times;
    if (times == null) {
      return new FrozenState(info, keys, values, Optional.empty(), named.values::release);
    }
    return new FrozenState(
        info,
        keys,
        values,
        Optional.of(new FrozenTimes(times.freeze(), named.timeToLive, clock.getAsLong())),
        () -> {
          named.values.release();
          times.release();
        });
  }

  /** Whether there is a snapshot that is not released. */
  boolean isFrozen() {
    return Arrays.stream(columns).anyMatch(ObjectColumn::isFrozen);
  }

  /**
   * Adds an entry of a checkpoint.
   *
   * @param updated the time of the last update, for a state with a time to live
   */
  @Override
  public void restore(StateInfo state, Object restoredKey, long updated, Object value) {
    enter(restoredKey);
    switch (state.kind()) {
      case EVENT_TIMERS -> addEventTimer((long) value);
      case PROCESSING_TIMERS -> addProcessingTimer((long) value);
      case LIST -> {
        ElementList list = new ElementList();
        ((Collection<?>) value).forEach(list::add);
        restore(state, updated, list);
      }
      case MAP -> {
        EntryMap map = new EntryMap();
        ((Map<?, ?>) value).forEach(map::put);
        restore(state, updated, map);
      }
      case VALUE, REDUCING, AGGREGATING -> restore(state, updated, value);
    }
    leave();
  }

  private void restore(StateInfo state, long updated, Object value) {
    NamedState named = state(nameOf(state), state.kind());
    set(named.values, value);
    if (state.timed()) {
      if (named.times == null) {
        named.times = new LongColumn();
        // Until the program asks for the state: what it does not ask for is kept.
        named.timeToLive = Long.MAX_VALUE;
      }
      named.times.setAnywhere(slot, updated);
    }
  }

  private String nameOf(StateInfo state) {
    return state.name().substring(prefix.length());
  }

  /** The times of the last updates, and the time of the snapshot. */
  private record FrozenTimes(long[][] times, long timeToLive, long now) {
    long of(int slot) {
      return times[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK];
    }

    boolean isExpired(int slot) {
      return NamedState.isExpired(of(slot), timeToLive, now);
    }
  }

  private record FrozenState(
      StateInfo info,
      FrozenKeys keys,
      Object[][] values,
      Optional<FrozenTimes> times,
      Runnable whenReleased)
      implements TablePart {
    @Override
    public void entries(int slot, EntryConsumer out) {
      Object[] chunk = values[slot >>> ObjectColumn.CHUNK_BITS];
      int at = slot & ObjectColumn.CHUNK_MASK;
      Object value = at < chunk.length ? chunk[at] : null;
      if (value == null || times.isPresent() && times.get().isExpired(slot)) {
        return;
      }
      long updated = times.isPresent() ? times.get().of(slot) : 0;
      if (value instanceof ElementList list) {
        out.accept(updated, 0, new ArrayList<>(list.read()));
      } else if (value instanceof EntryMap map) {
        out.accept(updated, 0, new LinkedHashMap<>(map.read()));
      } else {
        out.accept(updated, 0, value);
      }
    }

    @Override
    public void release() {
      whenReleased.run();
    }
  }

  /** Timers by slot, which an I/O thread sorts when it reads the first one. */
  private static final class FrozenTimers implements TablePart {
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
