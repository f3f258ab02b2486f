package io.millrace.dataplane.store;

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
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateErrors;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.state.StatePart;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The named states and the timers of one keyed function in a store. */
public final class StoredKeyedStateBackend extends KeyedStateBackend {
  private final StoredState state;
  private final String prefix;
  private final Map<String, StateTtl> asked = new HashMap<>();

  /** Null until a timer is asked for: most functions have none. */
  private StoredTimers eventTimers;

  private StoredTimers processingTimers;
  private Object key;
  private byte[] keyBytes;
  private boolean isOpened;

  /**
   * @param prefix of the names of states in checkpoints, for an operator that has other states, too
   */
  public StoredKeyedStateBackend(StoredState state, String prefix) {
    this.state = state;
    this.prefix = prefix;
  }

  private StoredTimers eventTimers() {
    if (eventTimers == null) {
      eventTimers = state.timers(StateInfo.EVENT_TIMERS, false);
    }
    return eventTimers;
  }

  private StoredTimers processingTimers() {
    if (processingTimers == null) {
      processingTimers = state.timers(StateInfo.PROCESSING_TIMERS, false);
    }
    return processingTimers;
  }

  StoredState state() {
    return state;
  }

  @Override
  public boolean opened() {
    isOpened = true;
    return !asked.isEmpty() || state.hasStates(prefix);
  }

  @Override
  public boolean owns(StateInfo info) {
    return info.name().startsWith(prefix);
  }

  @Override
  public void enter(Object nextKey) {
    key = nextKey;
    keyBytes = state.keyOf(nextKey);
  }

  @Override
  public void leave() {
    key = null;
    keyBytes = null;
  }

  @Override
  public Object key() {
    return key;
  }

  /** The current key with its group. */
  byte[] keyBytes() {
    if (keyBytes == null) {
      throw StateErrors.noCurrentKey();
    }
    return keyBytes;
  }

  // --- timers

  @Override
  public void addEventTimer(long time) {
    eventTimers().add(time, keyBytes());
  }

  @Override
  public void addProcessingTimer(long time) {
    processingTimers().add(time, keyBytes());
  }

  @Override
  public void removeEventTimer(long time) {
    eventTimers().remove(time, keyBytes());
  }

  @Override
  public void removeProcessingTimer(long time) {
    processingTimers().remove(time, keyBytes());
  }

  /** Whether there may be timers. */
  private boolean has(StateInfo timers) {
    return state.find(timers.name()).isPresent();
  }

  @Override
  public boolean isEventTimerDue(long time) {
    return has(StateInfo.EVENT_TIMERS)
        && !eventTimers().isEmpty()
        && eventTimers.firstTime() <= time;
  }

  @Override
  public long firstProcessingTimer() {
    return hasProcessingTimers() ? processingTimers.firstTime() : Long.MAX_VALUE;
  }

  @Override
  public boolean hasProcessingTimers() {
    return has(StateInfo.PROCESSING_TIMERS) && !processingTimers().isEmpty();
  }

  @Override
  public long enterEventTimer() {
    return enter(eventTimers);
  }

  @Override
  public long enterProcessingTimer() {
    return enter(processingTimers);
  }

  private long enter(StoredTimers timers) {
    long time = timers.firstTime();
    keyBytes = timers.poll();
    key = state.decodeKey(keyBytes);
    return time;
  }

  // --- states

  private StoredTable table(StateDescriptor descriptor, StateKind kind) {
    String name = prefix + descriptor.name();
    StateTtl ttl = descriptor.ttl();
    StateTtl before = asked.get(name);
    if (before != null && !before.equals(ttl)) {
      throw StateErrors.twoTimesToLive(descriptor.name());
    }
    StoredTable table = table(descriptor.name()).orElse(null);
    if (table == null) {
      if (isOpened) {
        throw StateErrors.afterOpen(descriptor.name());
      }
      table =
          state.table(new StateInfo(name, kind, false, ttl.expires()), StoredState.layoutOf(kind));
    } else if (table.info().kind() != kind) {
      throw StateErrors.otherKind(descriptor.name(), kind, table.info().kind());
    } else if (table.info().timed() != ttl.expires()) {
      table = state.withTimes(table, ttl.expires());
    }
    asked.put(name, ttl);
    if (ttl.expires()) {
      table.timeToLive = ttl.timeToLive().toMillis();
    }
    return table;
  }

  private Optional<StoredTable> table(String name) {
    return state.find(prefix + name);
  }

  private StoredEntries entries(StateDescriptor descriptor, StateKind kind) {
    return new StoredEntries(this, table(descriptor, kind), descriptor.ttl());
  }

  @Override
  public <T> ValueState<T> value(ValueStateDescriptor<T> descriptor) {
    return new StoredStates.StoredValueState<>(entries(descriptor, StateKind.VALUE));
  }

  @Override
  public <T> ListState<T> list(ListStateDescriptor<T> descriptor) {
    return new StoredStates.StoredListState<>(entries(descriptor, StateKind.LIST));
  }

  @Override
  public <K, V> MapState<K, V> map(MapStateDescriptor<K, V> descriptor) {
    return new StoredStates.StoredMapState<>(entries(descriptor, StateKind.MAP));
  }

  @Override
  public <T> ReducingState<T> reducing(ReducingStateDescriptor<T> descriptor) {
    return new StoredStates.StoredReducingState<>(
        entries(descriptor, StateKind.REDUCING), descriptor.function());
  }

  @Override
  public <T, A, R> AggregatingState<T, R> aggregating(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    return new StoredStates.StoredAggregatingState<>(
        entries(descriptor, StateKind.AGGREGATING), descriptor.function());
  }

  @Override
  public List<Object> keysOf(String name) {
    return state.keysOf(table(name).orElseThrow());
  }

  // --- snapshots

  @Override
  public List<StatePart> freeze() {
    return state.freeze();
  }

  @Override
  public void restore(StateInfo info, Object restoredKey, long updated, Object value) {
    switch (info.kind()) {
      case EVENT_TIMERS -> eventTimers().add((long) value, state.keyOf(restoredKey));
      case PROCESSING_TIMERS -> processingTimers().add((long) value, state.keyOf(restoredKey));
      default -> state.restore(info, restoredKey, updated, value);
    }
  }
}
