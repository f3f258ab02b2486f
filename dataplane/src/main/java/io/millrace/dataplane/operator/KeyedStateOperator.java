package io.millrace.dataplane.operator;

import io.millrace.api.function.KeySelector;
import io.millrace.dataplane.snapshot.KeyedStateVisitor;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;

/**
 * Runs an operator whose function has keyed state: sets the current key for each record. It is
 * always the head of its chain, because records reach it by key. An operator whose function asks
 * for no keyed state runs without it.
 */
public class KeyedStateOperator extends StreamOperator {
  private final OperatorContext context;
  private final KeySelector<Object, Object> selector;
  private final KeyedStateBackend store;
  private final StreamOperator operator;

  KeyedStateOperator(
      OperatorContext context,
      KeySelector<Object, Object> selector,
      KeyedStateBackend store,
      StreamOperator operator) {
    this.context = context;
    this.selector = selector;
    this.store = store;
    this.operator = operator;
  }

  @Override
  public final void processElement(Object record) {
    enter(selector, record);
    operator.processElement(record);
    leave();
  }

  /** Makes the key of a record the current one. */
  final void enter(KeySelector<Object, Object> of, Object record) {
    try {
      store.enter(TimedKeyedOperator.keyOf(of, record));
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  final void leave() {
    store.leave();
  }

  @Override
  public void prefetch(Object[] records, int from, int to) {
    operator.prefetch(records, from, to);
  }

  @Override
  public void watermark(long watermark) {
    operator.watermark(watermark);
  }

  @Override
  public void idle(boolean idle) {
    operator.idle(idle);
  }

  @Override
  public EndStatus end() {
    return operator.end();
  }

  @Override
  public EndStatus endSuspended() {
    return operator.endSuspended();
  }

  @Override
  public void restore(RestoredState state) throws Exception {
    operator.restore(state);
  }

  @Override
  public void prepareSnapshot(long checkpoint) throws Exception {
    operator.prepareSnapshot(checkpoint);
  }

  @Override
  public boolean hasKeyedState() {
    return true;
  }

  @Override
  public void snapshot(OperatorSnapshotBuilder snapshot) throws Exception {
    operator.snapshot(snapshot);
    if (context.store().isEmpty()) {
      snapshot.keyed(store.freeze());
    } else if (!snapshot.isKeyed()) {
      // The operator itself has no keyed state.
      context.store().get().snapshot(snapshot, KeyGroupWatermarks.same(Long.MIN_VALUE));
    }
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    operator.checkpointCompleted(checkpoint);
  }

  @Override
  public void checkpointAborted(long checkpoint) throws Exception {
    operator.checkpointAborted(checkpoint);
  }

  @Override
  public boolean awaitsCheckpoint() {
    return operator.awaitsCheckpoint();
  }

  @Override
  public void close() throws Exception {
    operator.close();
  }

  /** Fills the state of a function, before the function is opened. */
  public static void restore(KeyedStateBackend store, RestoredState state) {
    store.restoreWatermarks(
        state.forEachKeyed(
            new KeyedStateVisitor() {
              @Override
              public boolean wants(StateInfo info) {
                return store.owns(info);
              }

              @Override
              public void entry(StateInfo info, Object key, long start, long end, Object value) {
                store.restore(info, key, start, value);
              }
            }));
  }
}
