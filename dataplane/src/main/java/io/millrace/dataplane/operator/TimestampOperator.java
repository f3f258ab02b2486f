package io.millrace.dataplane.operator;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.time.TimestampAssigner;
import io.millrace.api.time.Timestamps;
import io.millrace.api.time.WatermarkGenerator;
import io.millrace.api.time.WatermarkOutput;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Assigns timestamps to records and emits watermarks. Watermarks from upstream end at this
 * operator. In the task of a source whose reader names its splits, each split has a generator of
 * its own, and the lowest watermark of those that are not idle counts.
 */
public final class TimestampOperator extends StreamOperator implements ActiveSplits.Listener {
  private final OperatorContext context;
  private final TaskClock clock;
  private final WatermarkStrategy<? super Object> strategy;
  private final TimestampAssigner<? super Object> assigner;
  private final boolean silent;
  private final boolean followsRecords;
  private final long intervalNanos;
  private final long idlenessNanos;
  private final StreamOperator next;
  private final WatermarkTargets watermarkTargets;
  private final ActiveSplits activeSplits;

  /** By the numbers of {@link ActiveSplits}. */
  private final Map<Integer, SplitWatermark> splits = new LinkedHashMap<>();

  /** The same splits: they are looked at often and change rarely. */
  private SplitWatermark[] all;

  /** The split of the last record. */
  private SplitWatermark current;

  private long watermark = Long.MIN_VALUE;
  private boolean idle;
  private long lastPeriodicCall;

  /** Null if the strategy has no alignment. */
  private final GroupAlignment alignment;

  TimestampOperator(
      OperatorContext context,
      OperatorSpec.Timestamps spec,
      Duration interval,
      OperatorOutputs outputs)
      throws Exception {
    this.context = context;
    this.clock = context.task().clock();
    this.strategy = spec.strategy();
    this.assigner = strategy.assigner();
    this.silent = spec.finalOnly();
    this.followsRecords = strategy.followsRecords();
    this.intervalNanos = Math.max(1_000_000, interval.toNanos());
    this.idlenessNanos = strategy.idleness().toNanos();
    this.next = outputs.main();
    this.watermarkTargets = outputs.watermarkTargets();
    this.lastPeriodicCall = clock.nanoTime();
    this.activeSplits = context.task().activeSplits();
    this.alignment =
        silent
            ? null
            : strategy
                .alignment()
                .map(with -> new GroupAlignment(context.task(), with))
                .orElse(null);
    this.current = new SplitWatermark(ActiveSplits.UNNAMED, "", strategy.generator());
    splits.put(ActiveSplits.UNNAMED, current);
    splitsChanged();
    activeSplits.listener(this);
    context.task().eventTime().use();
  }

  /** The watermark of one split. */
  private final class SplitWatermark implements WatermarkOutput {
    private final int number;
    private final String id;
    private final WatermarkGenerator<? super Object> generator;
    private long reached = Long.MIN_VALUE;
    private boolean isIdle;

    /** Whether a record came since the last periodic call. */
    private boolean fresh;

    private long lastRecord = clock.nanoTime();

    SplitWatermark(int number, String id, WatermarkGenerator<? super Object> generator) {
      this.number = number;
      this.id = id;
      this.generator = generator;
    }

    @Override
    public void emitWatermark(long now) {
      if (now > reached && !silent) {
        reached = now;
        isIdle = false;
        advance();
      }
    }

    @Override
    public void markIdle() {
      if (!isIdle && !silent) {
        isIdle = true;
        advance();
      }
    }
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
    SplitWatermark split = current;
    if (split.number != activeSplits.current) {
      split = switchTo(activeSplits.current);
    }
    split.fresh = true;
    if (split.isIdle) {
      split.isIdle = false;
      active();
    }
    clock.timestamp = timestamp;
    next.processElement(record);
    try {
      split.generator.onEvent(record, timestamp, split);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
    clock.timestamp = before;
  }

  private SplitWatermark switchTo(int number) {
    SplitWatermark known = splits.get(number);
    if (known == null) {
      known = newSplit(number, "");
      splits.put(number, known);
      splitsChanged();
    }
    current = known;
    return known;
  }

  private void splitsChanged() {
    all = splits.values().toArray(new SplitWatermark[0]);
  }

  private SplitWatermark newSplit(int number, String id) {
    try {
      return new SplitWatermark(number, id, strategy.generator());
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }

  // --- splits

  @Override
  public void splitAdded(int split, String id) {
    // Records without a split hold event time back only while there is no split.
    splits.remove(ActiveSplits.UNNAMED);
    splits.computeIfAbsent(split, number -> newSplit(number, id));
    splitsChanged();
  }

  @Override
  public void splitFinished(int split) {
    splits.remove(split);
    splitsChanged();
    if (splits.isEmpty()) {
      // A reader without splits holds event time back where it is, until it is idle.
      switchTo(ActiveSplits.UNNAMED).reached = watermark;
    } else {
      if (current.number == split) {
        current = all[0];
      }
      advance();
    }
  }

  // --- alignment

  /** Whether the strategy aligns watermarks, so that it has to run in the task of a source. */
  public boolean isAligned() {
    return alignment != null;
  }

  @Override
  public boolean isAhead() {
    return alignment != null && !idle && alignment.isAhead(watermark);
  }

  /** Pauses the splits that are too far ahead of the group. */
  private void align(long now) {
    alignment.report(now, idle ? Long.MAX_VALUE : watermark);
    Set<String> ahead = new LinkedHashSet<>();
    for (SplitWatermark split : all) {
      if (split.number != ActiveSplits.UNNAMED && alignment.isAhead(split.reached)) {
        ahead.add(split.id);
      }
    }
    activeSplits.pause(ahead);
  }

  // --- watermarks

  private void active() {
    if (idle) {
      idle = false;
      watermarkTargets.idle(false);
    }
  }

  /** Emits the lowest watermark of the splits that are not idle. */
  private void advance() {
    long lowest = Long.MAX_VALUE;
    long highest = Long.MIN_VALUE;
    boolean held = false;
    for (SplitWatermark split : all) {
      highest = Math.max(highest, split.reached);
      if (!split.isIdle) {
        held = true;
        lowest = Math.min(lowest, split.reached);
      }
    }
    try {
      if (held) {
        active();
      }
      long now = held ? lowest : highest;
      if (now > watermark) {
        watermark = now;
        watermarkTargets.watermark(now);
      }
      if (!held && !idle) {
        idle = true;
        watermarkTargets.idle(true);
      }
    } catch (Throwable thrown) {
      throw context.task().emitFailed(thrown);
    }
  }

  /** Ends event time, because the job stops and no record follows. */
  public void emitFinalWatermark() {
    if (watermark < Long.MAX_VALUE) {
      active();
      watermark = Long.MAX_VALUE;
      watermarkTargets.watermark(watermark);
    }
  }

  /** Calls the generators if they are due; returns the nanoseconds until the next call. */
  public long emitPeriodicWatermark(long now) {
    if (silent) {
      return Long.MAX_VALUE;
    }
    long since = now - lastPeriodicCall;
    if (since >= intervalNanos) {
      since = 0;
      lastPeriodicCall = now;
      for (SplitWatermark split : all) {
        emitPeriodicWatermark(split, now);
      }
      if (alignment != null) {
        align(now);
      }
    }
    boolean again = !followsRecords || alignment != null;
    for (SplitWatermark split : all) {
      again |= split.fresh || idlenessNanos > 0 && !split.isIdle;
    }
    return again ? intervalNanos - since : Long.MAX_VALUE;
  }

  private void emitPeriodicWatermark(SplitWatermark split, long now) {
    // A split that is paused has records.
    if (split.fresh || alignment != null && alignment.isAhead(split.reached)) {
      split.lastRecord = now;
    }
    boolean call = split.fresh || !followsRecords;
    split.fresh = false;
    if (call) {
      try {
        split.generator.onPeriodicEmit(split);
      } catch (Throwable thrown) {
        throw context.failed(thrown);
      }
    }
    if (idlenessNanos > 0 && now - split.lastRecord >= idlenessNanos) {
      split.markIdle();
    }
  }
}
