package io.millrace.dataplane.operator;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.operator.LongFold;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ValueCopier;
import io.millrace.dataplane.snapshot.KeyedStateVisitor;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.state.KeyLongTable;
import io.millrace.dataplane.state.KeyTable;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.state.StatePart;
import java.util.List;

/** Keyed aggregations, which hold one value per key. */
public abstract class KeyedAggregateOperator extends StreamOperator implements KeyedAggregation {
  /** The number of keys that one step emits at the end of input. */
  private static final int KEYS_PER_STEP = 4096;

  /** The number of keys from which on their state exceeds a processor's cache. */
  private static final int LARGE = 1 << 15;

  private final OperatorContext context;
  private final KeySelector<Object, Object> selector;
  private final boolean finalOnly;
  private final StreamOperator next;
  private int emitted;
  private boolean ended;

  /** The keyed state of the function, null if it has none. */
  private KeyedStateBackend functionState;

  // Keys and slots of the prefetched records; slot -1 for a key without one.
  private Object[] keys = {};
  private int[] slots = {};
  private int nextPrefetched;
  private int prefetched;

  private KeyedAggregateOperator(
      OperatorContext context,
      KeySelector<Object, Object> selector,
      boolean finalOnly,
      StreamOperator next) {
    this.context = context;
    this.selector = selector;
    this.finalOnly = finalOnly;
    this.next = next;
  }

  static KeyedAggregateOperator aggregate(
      OperatorContext context, OperatorSpec.Aggregate spec, StreamOperator next) {
    return spec.ofNumber()
        .<KeyedAggregateOperator>map(
            fold -> new LongAggregate(context, spec.key(), fold, spec.finalOnly(), next))
        .orElseGet(
            () -> new Aggregate(context, spec.key(), spec.function(), spec.finalOnly(), next));
  }

  @Override
  public final void functionState(KeyedStateBackend state) {
    functionState = state;
  }

  abstract int keyCount();

  abstract Object key(int slot);

  /** The slot of a key; adds the key if it is new. */
  abstract int slot(Object key);

  /** Looks up the slots of several keys, -1 for new ones, and loads their values. */
  abstract void find(Object[] wanted, int count, int[] found);

  abstract void fold(int slot, Object record) throws Exception;

  abstract Object result(int slot) throws Exception;

  /** All keys and their values as they are now. */
  abstract StatePart freeze();

  /** Sets the value of a key from a checkpoint. */
  abstract void restore(Object key, Object value);

  /** The name of the state. */
  abstract String stateName();

  @Override
  public boolean hasKeyedState() {
    return true;
  }

  @Override
  public final void snapshot(OperatorSnapshotBuilder snapshot) {
    // The keys have been emitted, and a task that starts with this checkpoint must not do so again.
    boolean isOver = finalOnly && ended;
    snapshot.keyed(isOver ? List.of() : List.of(freeze()));
  }

  @Override
  public final void restore(RestoredState state) {
    state.forEachKeyed(
        new KeyedStateVisitor() {
          @Override
          public boolean wants(StateInfo info) {
            return functionState == null || !functionState.owns(info);
          }

          @Override
          public void entry(StateInfo info, Object key, long start, long end, Object value) {
            if (!info.name().equals(stateName())) {
              throw KeyedAggregation.otherState(info, stateName(), context.operator());
            }
            KeyedAggregateOperator.this.restore(key, value);
          }
        });
  }

  @Override
  public final void prefetch(Object[] records, int from, int to) {
    nextPrefetched = 0;
    prefetched = 0;
    if (keyCount() < LARGE) {
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
          // processElement reports it.
          break;
        }
        keys[prefetched++] = key;
      }
    } catch (Throwable thrown) {
      throw context.failed(thrown, records[from + prefetched]);
    }
    find(keys, prefetched, slots);
  }

  private int slotOf(Object record) throws Exception {
    if (nextPrefetched < prefetched) {
      int slot = slots[nextPrefetched++];
      if (slot >= 0) {
        return slot;
      }
    }
    Object key = selector.key(record);
    if (key == null) {
      throw new MillraceException(
          ErrorKind.USER, "The key of a record is null. Give such records a key of their own.");
    }
    return slot(key);
  }

  @Override
  public final void processElement(Object record) {
    Object result;
    try {
      int slot = slotOf(record);
      fold(slot, record);
      if (finalOnly) {
        return;
      }
      result = result(slot);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    next.processElement(result);
  }

  @Override
  public final EndStatus end() {
    ended = true;
    if (!finalOnly) {
      return EndStatus.DONE;
    }
    for (int i = 0; i < KEYS_PER_STEP; i++) {
      if (context.task().isFull()) {
        return EndStatus.YIELDED;
      }
      // Keys are never removed, so all slots below their number are in use.
      if (emitted == keyCount()) {
        return EndStatus.DONE;
      }
      Object result;
      try {
        result = lastResult(emitted++);
      } catch (Throwable thrown) {
        throw context.failed(thrown);
      }
      next.processElement(result);
    }
    return EndStatus.YIELDED;
  }

  private Object lastResult(int slot) throws Exception {
    if (functionState == null) {
      return result(slot);
    }
    functionState.enter(key(slot));
    Object result = result(slot);
    functionState.leave();
    return result;
  }

  /** Holds a long per key, without an object. */
  static final class LongAggregate extends KeyedAggregateOperator {
    private final KeyLongTable table = new KeyLongTable();
    private final LongFold<Object, Object, Object> function;

    LongAggregate(
        OperatorContext context,
        KeySelector<Object, Object> selector,
        LongFold<Object, Object, Object> function,
        boolean finalOnly,
        StreamOperator next) {
      super(context, selector, finalOnly, next);
      this.function = function;
    }

    @Override
    public int keyCount() {
      return table.size();
    }

    @Override
    Object key(int slot) {
      return table.key(slot);
    }

    @Override
    public int slot(Object key) {
      return table.slot(key);
    }

    @Override
    public void find(Object[] wanted, int count, int[] found) {
      table.find(wanted, count, found);
    }

    @Override
    public void fold(int slot, Object record) throws Exception {
      table.number(slot, function.fold(table.number(slot), record));
    }

    @Override
    public Object result(int slot) {
      return function.result(table.key(slot), table.number(slot));
    }

    @Override
    String stateName() {
      return "number";
    }

    @Override
    StatePart freeze() {
      return table.freeze(stateName());
    }

    @Override
    void restore(Object key, Object value) {
      table.number(table.slot(key), (long) value);
    }
  }

  /** Holds an object per key. */
  private abstract static class ObjectAggregate extends KeyedAggregateOperator {
    private final KeyTable table = new KeyTable();

    ObjectAggregate(
        OperatorContext context,
        KeySelector<Object, Object> selector,
        boolean finalOnly,
        StreamOperator next) {
      super(context, selector, finalOnly, next);
    }

    /** The value of a key for a fold, which may change it in place. */
    abstract Object current(KeyTable values, int slot);

    abstract StateKind stateKind();

    @Override
    final StatePart freeze() {
      return table.freeze().asState(new StateInfo(stateName(), stateKind(), false));
    }

    @Override
    final void restore(Object key, Object value) {
      table.value(table.slot(key), value);
    }

    /** The new value of a key; the current value is null for a new key. */
    abstract Object fold(Object value, Object record) throws Exception;

    abstract Object result(Object value) throws Exception;

    @Override
    public final int keyCount() {
      return table.size();
    }

    @Override
    final Object key(int slot) {
      return table.key(slot);
    }

    @Override
    public final int slot(Object key) {
      return table.slot(key);
    }

    @Override
    public final void find(Object[] wanted, int count, int[] found) {
      table.find(wanted, count, found);
    }

    @Override
    public final void fold(int slot, Object record) throws Exception {
      Object before = current(table, slot);
      Object value = fold(before, record);
      if (value != before) {
        table.value(slot, value);
      }
    }

    @Override
    public final Object result(int slot) throws Exception {
      return result(table.value(slot));
    }
  }

  static final class Reduce extends ObjectAggregate {
    private final ReduceFunction<Object> function;

    Reduce(
        OperatorContext context,
        KeySelector<Object, Object> selector,
        ReduceFunction<Object> function,
        boolean finalOnly,
        StreamOperator next) {
      super(context, selector, finalOnly, next);
      this.function = function;
    }

    @Override
    Object current(KeyTable values, int slot) {
      // Records are immutable.
      return values.value(slot);
    }

    @Override
    StateKind stateKind() {
      return StateKind.REDUCING;
    }

    @Override
    String stateName() {
      return "record";
    }

    @Override
    public Object fold(Object value, Object record) throws Exception {
      return value == null ? record : function.reduce(value, record);
    }

    @Override
    public Object result(Object value) {
      return value;
    }
  }

  static final class Aggregate extends ObjectAggregate {
    private final AggregateFunction<Object, Object, Object> function;
    private final ValueCopier copier;

    Aggregate(
        OperatorContext context,
        KeySelector<Object, Object> selector,
        AggregateFunction<Object, Object, Object> function,
        boolean finalOnly,
        StreamOperator next) {
      super(context, selector, finalOnly, next);
      this.function = function;
      this.copier = context.task().valueCopier();
    }

    @Override
    Object current(KeyTable values, int slot) {
      return values.owned(slot, copier);
    }

    @Override
    StateKind stateKind() {
      return StateKind.AGGREGATING;
    }

    @Override
    String stateName() {
      return "accumulator";
    }

    @Override
    public Object fold(Object value, Object record) throws Exception {
      return function.add(value == null ? function.create() : value, record);
    }

    @Override
    public Object result(Object value) throws Exception {
      return function.result(value);
    }
  }
}
