package io.millrace.dataplane.operator;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.operator.LongFold;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.snapshot.KeyedStateVisitor;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.store.StoredState;
import io.millrace.dataplane.store.StoredValue;
import io.millrace.task.store.KeyValueStore;

/**
 * Keyed aggregations with a value per key in a store; {@link KeyedAggregateOperator} on the heap.
 */
final class StoredAggregateOperator extends StreamOperator implements KeyedAggregation {
  /** The number of keys that one step emits at the end of input. */
  private static final int KEYS_PER_STEP = 4096;

  /** What is aggregated. */
  private interface Fold {
    /** The new value of a key; the current value is null for a new key. */
    Object fold(Object value, Object record) throws Exception;

    Object result(Object key, Object value) throws Exception;
  }

  private final OperatorContext context;
  private final KeySelector<Object, Object> selector;
  private final boolean finalOnly;
  private final StreamOperator next;
  private final StateInfo info;
  private final Fold fold;
  private final StoredState state;
  private final StoredValue values;

  /** The keyed state of the function, null if it has none. */
  private KeyedStateBackend functionState;

  /** The results at the end of input, null before. */
  private KeyValueStore.Cursor emitting;

  private StoredAggregateOperator(
      OperatorContext context,
      KeySelector<Object, Object> selector,
      boolean finalOnly,
      StateInfo info,
      Fold fold,
      StreamOperator next) {
    this.context = context;
    this.selector = selector;
    this.finalOnly = finalOnly;
    this.info = info;
    this.fold = fold;
    this.next = next;
    this.state = context.store().orElseThrow();
    this.values = state.value(info);
  }

  static StoredAggregateOperator reduce(
      OperatorContext context, OperatorSpec.Reduce spec, StreamOperator next) {
    ReduceFunction<Object> function = spec.function();
    return new StoredAggregateOperator(
        context,
        spec.key(),
        spec.finalOnly(),
        new StateInfo("record", StateKind.REDUCING, false),
        new Fold() {
          @Override
          public Object fold(Object value, Object record) throws Exception {
            return value == null ? record : function.reduce(value, record);
          }

          @Override
          public Object result(Object key, Object value) {
            return value;
          }
        },
        next);
  }

  static StoredAggregateOperator aggregate(
      OperatorContext context, OperatorSpec.Aggregate spec, StreamOperator next) {
    return new StoredAggregateOperator(
        context,
        spec.key(),
        spec.finalOnly(),
        new StateInfo(
            spec.ofNumber().isPresent() ? "number" : "accumulator", StateKind.AGGREGATING, false),
        spec.ofNumber().map(StoredAggregateOperator::ofNumber).orElseGet(() -> of(spec.function())),
        next);
  }

  private static Fold ofNumber(LongFold<Object, Object, Object> function) {
    return new Fold() {
      @Override
      public Object fold(Object value, Object record) throws Exception {
        return function.fold(value == null ? 0 : (long) value, record);
      }

      @Override
      public Object result(Object key, Object value) {
        return function.result(key, (long) value);
      }
    };
  }

  private static Fold of(AggregateFunction<Object, Object, Object> function) {
    return new Fold() {
      @Override
      public Object fold(Object value, Object record) throws Exception {
        return function.add(value == null ? function.create() : value, record);
      }

      @Override
      public Object result(Object key, Object value) throws Exception {
        return function.result(value);
      }
    };
  }

  @Override
  public void functionState(KeyedStateBackend backend) {
    functionState = backend;
  }

  @Override
  public void processElement(Object record) {
    Object result;
    try {
      Object key = selector.key(record);
      if (key == null) {
        throw new MillraceException(
            ErrorKind.USER, "The key of a record is null. Give such records a key of their own.");
      }
      byte[] bytes = state.keyOf(key);
      Object value = fold.fold(values.get(bytes), record);
      values.put(bytes, value);
      if (finalOnly) {
        return;
      }
      result = fold.result(key, value);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    next.processElement(result);
  }

  @Override
  public EndStatus end() {
    if (!finalOnly) {
      return EndStatus.DONE;
    }
    if (emitting == null) {
      emitting = values.scan();
    }
    for (int i = 0; i < KEYS_PER_STEP; i++) {
      if (context.task().isFull()) {
        return EndStatus.YIELDED;
      }
      if (!emitting.isValid()) {
        // A task that starts with a checkpoint must not emit the keys again.
        values.clear();
        return EndStatus.DONE;
      }
      Object result;
      try {
        result = lastResult();
        emitting.next();
      } catch (Throwable thrown) {
        throw context.failed(thrown);
      }
      next.processElement(result);
    }
    return EndStatus.YIELDED;
  }

  private Object lastResult() throws Exception {
    Object key = state.decodeKey(emitting.key());
    Object value = values.decode(emitting);
    if (functionState == null) {
      return fold.result(key, value);
    }
    functionState.enter(key);
    Object result = fold.result(key, value);
    functionState.leave();
    return result;
  }

  @Override
  public boolean hasKeyedState() {
    return true;
  }

  @Override
  public void snapshot(OperatorSnapshotBuilder snapshot) {
    state.snapshot(snapshot, KeyGroupWatermarks.same(Long.MIN_VALUE));
  }

  @Override
  public void restore(RestoredState restored) {
    // Files of a backend are not read entry by entry.
    for (StateInfo found : state.states()) {
      if (isOwn(found) && !state.isEmpty(found)) {
        check(found);
      }
    }
    restored.forEachKeyed(
        new KeyedStateVisitor() {
          @Override
          public boolean wants(StateInfo found) {
            return isOwn(found);
          }

          @Override
          public void entry(StateInfo found, Object key, long start, long end, Object value) {
            check(found);
            values.put(state.keyOf(key), value);
          }
        });
  }

  /** Whether a state is one of the operator, and not of its function. */
  private boolean isOwn(StateInfo found) {
    return functionState == null || !functionState.owns(found);
  }

  private void check(StateInfo found) {
    if (!found.name().equals(info.name())) {
      throw KeyedAggregation.otherState(found, info.name(), context.operator());
    }
  }

  @Override
  public void close() {
    if (emitting != null) {
      emitting.close();
    }
  }
}
