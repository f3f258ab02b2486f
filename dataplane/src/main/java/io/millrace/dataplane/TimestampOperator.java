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
final class TimestampOperator extends StreamOperator implements WatermarkOutput {
  private final OperatorContext context;
  private final TaskClock clock;
  private final TimestampAssigner<? super Object> assigner;
  private final WatermarkGenerator<? super Object> generator;
  private final boolean silent;
  private final boolean followsRecords;
  private final long intervalNanos;
  private final long idlenessNanos;
  private final StreamOperator next;
  private final WatermarkTargets watermarkTargets;

  private long watermark = Long.MIN_VALUE;
  private boolean idle;

  /** Whether a record came since the generator was last asked. */
  private boolean fresh;

  private long lastPulse;
  private long lastRecord;

  TimestampOperator(
      OperatorContext context,
      OperatorSpec.Timestamps spec,
      Duration interval,
      StreamOperator next,
      WatermarkTargets watermarkTargets)
      throws Exception {
    this.context = context;
    this.clock = context.task().clock();
    this.assigner = spec.strategy().assigner();
    this.generator = spec.strategy().generator();
    this.silent = spec.finalOnly();
    this.followsRecords = spec.strategy().followsRecords();
    this.intervalNanos = Math.max(1_000_000, interval.toNanos());
    this.idlenessNanos = spec.strategy().idleness().toNanos();
    this.next = next;
    this.watermarkTargets = watermarkTargets;
    this.lastPulse = System.nanoTime();
    this.lastRecord = lastPulse;
    context.task().eventTime().use();
  }

  @Override
  void processElement(Object record) {
    long before = clock.timestamp;
    long timestamp;
    try {
      timestamp = assigner.timestamp(record, before);
      if (timestamp == Timestamps.NONE) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record has no timestamp. Say withTimestampAssigner on its WatermarkStrategy.");
      }
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    fresh = true;
    if (idle) {
      active();
    }
    clock.timestamp = timestamp;
    next.processElement(record);
    try {
      generator.onEvent(record, timestamp, this);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    clock.timestamp = before;
  }

  private void active() {
    idle = false;
    watermarkTargets.idle(false);
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
      watermarkTargets.watermark(now);
    } catch (Throwable thrown) {
      throw context.task().emitFailed(thrown);
    }
  }

  @Override
  public void markIdle() {
    if (!idle && !silent) {
      idle = true;
      try {
        watermarkTargets.idle(true);
      } catch (Throwable thrown) {
        throw context.task().emitFailed(thrown);
      }
    }
  }

  /** Asks the generator if it is time; returns after how many nanoseconds to ask again. */
  long emitPeriodicWatermark(long now) {
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
          throw context.failed(thrown);
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
