package io.millrace.dataplane;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.time.TimestampAssigner;
import io.millrace.api.time.Timestamps;
import io.millrace.api.time.WatermarkGenerator;
import io.millrace.api.time.WatermarkOutput;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;

/**
 * Gives records their times and tells those behind it how far event time is. What comes from before
 * it about event time ends here.
 */
final class Stamping extends Stage implements WatermarkOutput {
  private final Stages.Place place;
  private final TaskTime time;
  private final TimestampAssigner<? super Object> assigner;
  private final WatermarkGenerator<? super Object> generator;
  private final boolean silent;
  private final boolean followsRecords;
  private final long intervalNanos;
  private final long idlenessNanos;
  private final Stage next;
  private final Flow flow;

  private long watermark = Long.MIN_VALUE;
  private boolean idle;

  /** Whether a record came since the generator was last asked. */
  private boolean fresh;

  private long lastPulse;
  private long lastRecord;

  Stamping(
      Stages.Place place, OperatorSpec.Timestamps spec, Duration interval, Stage next, Flow flow)
      throws Exception {
    this.place = place;
    this.time = place.task().time();
    this.assigner = spec.strategy().assigner();
    this.generator = spec.strategy().generator();
    this.silent = spec.finalOnly();
    this.followsRecords = spec.strategy().followsRecords();
    this.intervalNanos = Math.max(1_000_000, interval.toNanos());
    this.idlenessNanos = spec.strategy().idleness().toNanos();
    this.next = next;
    this.flow = flow;
    this.lastPulse = System.nanoTime();
    this.lastRecord = lastPulse;
    place.task().eventTime().use();
  }

  @Override
  void push(Object record) {
    long before = time.timestamp;
    long timestamp;
    try {
      timestamp = assigner.timestamp(record, before);
      if (timestamp == Timestamps.NONE) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record has no timestamp. Say withTimestampAssigner on its WatermarkStrategy.");
      }
    } catch (Throwable thrown) {
      throw place.failed(thrown, record);
    }
    fresh = true;
    if (idle) {
      active();
    }
    time.timestamp = timestamp;
    next.push(record);
    try {
      generator.onEvent(record, timestamp, this);
    } catch (Throwable thrown) {
      throw place.failed(thrown, record);
    }
    time.timestamp = before;
  }

  private void active() {
    idle = false;
    flow.idle(false);
  }

  @Override
  public void emitWatermark(long now) {
    if (now <= watermark || silent) {
      return;
    }
    try {
      if (idle) {
        active();
      }
      watermark = now;
      flow.watermark(now);
    } catch (Throwable thrown) {
      throw place.task().emitFailed(thrown);
    }
  }

  @Override
  public void markIdle() {
    if (!idle && !silent) {
      idle = true;
      try {
        flow.idle(true);
      } catch (Throwable thrown) {
        throw place.task().emitFailed(thrown);
      }
    }
  }

  /** Asks the generator if it is time; returns after how many nanoseconds to ask again. */
  long pulse(long now) {
    if (silent) {
      return Long.MAX_VALUE;
    }
    long since = now - lastPulse;
    if (since >= intervalNanos) {
      since = 0;
      lastPulse = now;
      if (fresh) {
        lastRecord = now;
      }
      boolean ask = fresh || !followsRecords;
      fresh = false;
      if (ask) {
        try {
          generator.onPeriodicEmit(this);
        } catch (Throwable thrown) {
          throw place.failed(thrown);
        }
      }
      if (idlenessNanos > 0 && now - lastRecord >= idlenessNanos) {
        markIdle();
      }
    }
    boolean again = fresh || !followsRecords || idlenessNanos > 0 && !idle;
    return again ? intervalNanos - since : Long.MAX_VALUE;
  }
}
