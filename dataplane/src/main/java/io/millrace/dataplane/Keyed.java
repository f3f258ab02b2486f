package io.millrace.dataplane;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.ReduceFunction;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.Stages.Place;
import io.millrace.dataplane.state.KeyTable;

/** Stages that keep a value per key. */
abstract class Keyed extends Stage {
  /** How many keys are emitted at the end of input before others get the core. */
  private static final int KEYS_A_STEP = 4096;

  /** From this many keys on their state does not fit into a processor's cache. */
  private static final int LARGE = 1 << 15;

  private final Place place;
  private final KeySelector<Object, Object> selector;
  private final boolean finalOnly;
  private final Stage next;
  private final KeyTable table = new KeyTable();
  private int emitted;

  // The keys of records that come next, and their slots, -1 for those that have none yet.
  private Object[] keys = {};
  private int[] slots = {};
  private int announced;
  private int coming;

  private Keyed(Place place, KeySelector<Object, Object> selector, boolean finalOnly, Stage next) {
    this.place = place;
    this.selector = selector;
    this.finalOnly = finalOnly;
    this.next = next;
  }

  /** The new value of a key from the present one, which is null for a new key. */
  abstract Object fold(Object value, Object record) throws Exception;

  abstract Object result(Object value) throws Exception;

  @Override
  final void announce(Object[] records, int from, int to) {
    announced = 0;
    coming = 0;
    if (table.size() < LARGE) {
      return;
    }
    if (keys.length < to - from) {
      keys = new Object[to - from];
      slots = new int[to - from];
    }
    try {
      for (int i = from; i < to; i++) {
        Object key = selector.key(records[i]);
        if (key == null) {
          // It fails when its turn comes.
          break;
        }
        keys[coming++] = key;
      }
    } catch (Throwable thrown) {
      throw place.failed(thrown, records[from + coming]);
    }
    table.find(keys, coming, slots);
  }

  private int slotOf(Object record) throws Exception {
    if (announced < coming) {
      int slot = slots[announced++];
      if (slot >= 0) {
        return slot;
      }
    }
    Object key = selector.key(record);
    if (key == null) {
      throw new MillraceException(
          ErrorKind.USER, "The key of a record is null; give such records a key of their own");
    }
    return table.slot(key);
  }

  @Override
  final void push(Object record) {
    Object result;
    try {
      int slot = slotOf(record);
      Object before = table.value(slot);
      Object value = fold(before, record);
      if (value != before) {
        table.value(slot, value);
      }
      if (finalOnly) {
        return;
      }
      result = result(value);
    } catch (Throwable thrown) {
      throw place.failed(thrown, record);
    }
    next.push(result);
  }

  @Override
  final Ended end() {
    if (!finalOnly) {
      return Ended.YES;
    }
    for (int i = 0; i < KEYS_A_STEP; i++) {
      if (place.task().isFull()) {
        return Ended.LATER;
      }
      int slot = table.next(emitted);
      if (slot < 0) {
        return Ended.YES;
      }
      emitted = slot + 1;
      Object result;
      try {
        result = result(table.value(slot));
      } catch (Throwable thrown) {
        throw place.failed(thrown);
      }
      next.push(result);
    }
    return Ended.LATER;
  }

  static final class Reduce extends Keyed {
    private final ReduceFunction<Object> function;

    Reduce(
        Place place,
        KeySelector<Object, Object> selector,
        ReduceFunction<Object> function,
        boolean finalOnly,
        Stage next) {
      super(place, selector, finalOnly, next);
      this.function = function;
    }

    @Override
    Object fold(Object value, Object record) throws Exception {
      return value == null ? record : function.reduce(value, record);
    }

    @Override
    Object result(Object value) {
      return value;
    }
  }

  static final class Aggregate extends Keyed {
    private final AggregateFunction<Object, Object, Object> function;

    Aggregate(
        Place place,
        KeySelector<Object, Object> selector,
        AggregateFunction<Object, Object, Object> function,
        boolean finalOnly,
        Stage next) {
      super(place, selector, finalOnly, next);
      this.function = function;
    }

    @Override
    Object fold(Object value, Object record) throws Exception {
      return function.add(value == null ? function.create() : value, record);
    }

    @Override
    Object result(Object value) throws Exception {
      return function.result(value);
    }
  }
}
