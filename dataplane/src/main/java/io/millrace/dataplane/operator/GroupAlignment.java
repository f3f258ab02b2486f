package io.millrace.dataplane.operator;

import io.millrace.api.time.WatermarkAlignment;

/**
 * The alignment group of a source as one of its tasks sees it. The JobMaster knows the watermarks
 * of all tasks: a task reports its own from time to time and gets the lowest one of the group.
 * Belongs to the task's step, except for the answer.
 */
final class GroupAlignment {
  private final TaskEnvironment task;
  private final String group;
  private final long maxDrift;
  private final long intervalNanos;
  private long lastReport;
  private boolean everReported;
  private long reported = Long.MIN_VALUE;

  /** Watermarks above this are too far ahead; an answer sets it. */
  private volatile long allowed = Long.MAX_VALUE;

  GroupAlignment(TaskEnvironment task, WatermarkAlignment alignment) {
    this.task = task;
    this.group = alignment.group();
    this.maxDrift = alignment.maxDrift().toMillis();
    this.intervalNanos = alignment.updateInterval().toNanos();
  }

  boolean isAhead(long watermark) {
    return watermark > allowed;
  }

  /**
   * Reports the watermark if that is due.
   *
   * @param watermark {@link Long#MAX_VALUE} if the source is idle
   */
  void report(long now, long watermark) {
    boolean isFirst = reported == Long.MIN_VALUE && watermark > reported;
    if (everReported && !isFirst && now - lastReport < intervalNanos) {
      return;
    }
    everReported = true;
    reported = watermark;
    lastReport = now;
    task.deployment()
        .listener()
        .alignWatermark(task.execution(), group, watermark, this::lowestOfGroup);
  }

  /** Any thread may call it. */
  private void lowestOfGroup(long lowest) {
    boolean waits = allowed != Long.MAX_VALUE;
    // Saturated: there may be no watermark yet, or no end of it.
    long sum = lowest + maxDrift;
    allowed = lowest > 0 && sum < 0 ? Long.MAX_VALUE : sum;
    if (waits) {
      task.wake();
    }
  }
}
