package io.millrace.dataplane.operator;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.time.TimestampAssigner;
import io.millrace.api.time.Timestamps;
import io.millrace.api.time.WatermarkGenerator;
import io.millrace.api.time.WatermarkOutput;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;

/**
 * Assigns timestamps to records and emits watermarks. Watermarks from upstream end at this
 * operator.
 */
public final class TimestampOperator extends StreamOperator implements WatermarkOutput {
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

  /** Whether a record came since the last periodic call. */
  private boolean fresh;

  private long lastPeriodicCall;
  private long lastRecord;

  TimestampOperator(
      OperatorContext context,
      OperatorSpec.Timestamps spec,
      Duration interval,
      OperatorOutputs outputs)
      throws Exception {
    this.context = context;
    this.clock = context.task().clock();
    this.assigner = spec.strategy().assigner();
    this.generator = spec.strategy().generator();
    this.silent = spec.finalOnly();
    this.followsRecords = spec.strategy().followsRecords();
    this.intervalNanos = Math.max(1_000_000, interval.toNanos());
    this.idlenessNanos = spec.strategy().idleness().toNanos();
    this.next = outputs.main();
    this.watermarkTargets = outputs.watermarkTargets();
    this.lastPeriodicCall = System.nanoTime();
    this.lastRecord = lastPeriodicCall;
    context.task().eventTime().use();
  }

  @Override
  public void processElement(Object record) {
    long before = clock.timestamp;
    long timestamp;
    try {
      timestamp = assigner.timestamp(record, before);
      if (timestamp == Timestamps.NONE) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record has no timestamp. Call withTimestampAssigner on its WatermarkStrategy.");
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

  /** Ends event time, because the job stops and no record follows. */
  public void emitFinalWatermark() {
    if (watermark < Long.MAX_VALUE) {
      if (idle) {
        active();
      }
      watermark = Long.MAX_VALUE;
      watermarkTargets.watermark(watermark);
    }
  }

  /** Calls the generator if it is due; returns the nanoseconds until the next call. */
  public long emitPeriodicWatermark(long now) {
    if (silent) {
      return Long.MAX_VALUE;
    }
    long since = now - lastPeriodicCall;
    if (since >= intervalNanos) {
      since = 0;
      lastPeriodicCall = now;
      if (fresh) {
        lastRecord = now;
      }
      boolean call = fresh || !followsRecords;
      fresh = false;
      if (call) {
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
