package io.millrace.bench.peers.jet;

import com.hazelcast.jet.Traverser;
import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.core.BroadcastKey;
import com.hazelcast.jet.core.EventTimeMapper;
import com.hazelcast.jet.core.EventTimePolicy;
import com.hazelcast.jet.core.Processor;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.RecordMeter;
import java.io.Serializable;

/**
 * Generator source as a cooperative processor: emits a batch each time it is called, until the
 * outbox is full.
 */
final class GenP<T> extends AbstractProcessor {

  interface Maker<T> extends Serializable {
    T make(Gen gen);
  }

  private static final int BATCH = 1024;

  private final long keys;
  private final Maker<T> maker;
  private final EventTimeMapper<T> mapper;
  private int instance;
  private Gen gen;
  private Object pending;
  private Traverser<Object> pendingTimed;

  /**
   * @param policy watermark policy, or null for records without event time.
   */
  GenP(long keys, Maker<T> maker, EventTimePolicy<? super T> policy) {
    this.keys = keys;
    this.maker = maker;
    this.mapper = policy == null ? null : new EventTimeMapper<>(policy);
  }

  @Override
  protected void init(Processor.Context context) {
    instance = context.globalProcessorIndex();
    gen = new Gen(instance, keys);
    if (mapper != null) {
      mapper.addPartitions(1);
    }
  }

  @Override
  public boolean complete() {
    if (mapper == null) {
      plain();
    } else {
      timed();
    }
    RecordMeter.in(instance, gen.position());
    return RecordMeter.stop && pending == null && pendingTimed == null;
  }

  private void plain() {
    if (pending != null) {
      if (!tryEmit(pending)) {
        return;
      }
      pending = null;
    }
    for (int i = 0; i < BATCH && !RecordMeter.stop; i++) {
      T made = maker.make(gen);
      if (made == null) {
        return;
      }
      if (!tryEmit(made)) {
        pending = made;
        return;
      }
    }
  }

  private void timed() {
    if (pendingTimed != null) {
      if (!emitFromTraverser(pendingTimed)) {
        return;
      }
      pendingTimed = null;
    }
    for (int i = 0; i < BATCH && !RecordMeter.stop; i++) {
      Traverser<Object> made =
          mapper.flatMapEvent(maker.make(gen), 0, EventTimeMapper.NO_NATIVE_TIME);
      if (!emitFromTraverser(made)) {
        pendingTimed = made;
        return;
      }
    }
  }

  @Override
  public boolean saveToSnapshot() {
    if (!tryEmitToSnapshot(BroadcastKey.broadcastKey(instance), gen.save())) {
      return false;
    }
    if (instance == 0) {
      RecordMeter.SNAPSHOTS.incrementAndGet();
    }
    return true;
  }

  @Override
  protected void restoreFromSnapshot(Object key, Object value) {
    if (((BroadcastKey<?>) key).key().equals(instance)) {
      gen.restore((long[]) value);
    }
  }
}
