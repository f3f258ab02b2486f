package io.millrace.dataplane.state;

import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import java.util.List;

/**
 * The named states and the timers of one keyed function. One key is current at a time, between
 * {@link #enter} and {@link #leave}. An abstract class instead of an interface: as long as a
 * process has loaded one backend only, the JIT calls it directly.
 */
public abstract class KeyedStateBackend {
  private KeyGroupWatermarks restoredWatermarks = KeyGroupWatermarks.same(Long.MIN_VALUE);

  /** Refuses states that are asked for later; returns whether there is one. */
  public abstract boolean opened();

  /** Whether a state of a checkpoint is one of this function. */
  public abstract boolean owns(StateInfo state);

  public abstract void enter(Object nextKey);

  public abstract void leave();

  public abstract Object key();

  // --- timers

  public abstract void addEventTimer(long time);

  public abstract void addProcessingTimer(long time);

  public abstract void removeEventTimer(long time);

  public abstract void removeProcessingTimer(long time);

  /** Whether there is an event-time timer at or before a time. */
  public abstract boolean isEventTimerDue(long time);

  /** The time of the first processing-time timer, {@link Long#MAX_VALUE} if there is none. */
  public abstract long firstProcessingTimer();

  public abstract boolean hasProcessingTimers();

  /** Removes the first event-time timer, enters its key and returns its time. */
  public abstract long enterEventTimer();

  /** Removes the first processing-time timer, enters its key and returns its time. */
  public abstract long enterProcessingTimer();

  // --- states

  public abstract <T> ValueState<T> value(ValueStateDescriptor<T> descriptor);

  public abstract <T> ListState<T> list(ListStateDescriptor<T> descriptor);

  public abstract <K, V> MapState<K, V> map(MapStateDescriptor<K, V> descriptor);

  public abstract <T> ReducingState<T> reducing(ReducingStateDescriptor<T> descriptor);

  public abstract <T, A, R> AggregatingState<T, R> aggregating(
      AggregatingStateDescriptor<T, A, R> descriptor);

  /** The keys that have an entry in a state, which the function has asked for. */
  public abstract List<Object> keysOf(String state);

  // --- snapshots

  /** All states and timers as they are now. */
  public abstract List<StatePart> freeze();

  /**
   * Adds an entry of a checkpoint.
   *
   * @param updated the time of the last update, for a state with a time to live
   */
  public abstract void restore(StateInfo state, Object restoredKey, long updated, Object value);

  /** Sets the event time that the function had reached in the checkpoint it starts with. */
  public final void restoreWatermarks(KeyGroupWatermarks reached) {
    restoredWatermarks = reached;
  }

  /** The event time of the checkpoint, {@link Long#MIN_VALUE} without one. */
  public final KeyGroupWatermarks restoredWatermarks() {
    return restoredWatermarks;
  }
}
