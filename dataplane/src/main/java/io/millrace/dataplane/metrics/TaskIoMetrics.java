package io.millrace.dataplane.metrics;

import io.millrace.core.id.ExecutionId;
import io.millrace.task.TaskCounters;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/** The counters and times of a task. Its step writes them, any thread reads them. */
public final class TaskIoMetrics {
  public static final int RECORDS_IN = 0;
  public static final int RECORDS_OUT = 1;
  public static final int BYTES_IN = 2;
  public static final int BYTES_OUT = 3;
  private static final int BUSY = 4;
  private static final int BACK_PRESSURED = 5;
  private static final int IDLE = 6;

  /** The start of the current phase. */
  private static final int SINCE = 7;

  private static final int PHASE = 8;

  /** Odd while a phase changes, so that a reader does not count its time twice or not at all. */
  private static final int CHANGES = 9;

  private final AtomicLongArray values = new AtomicLongArray(10);

  public TaskIoMetrics(long now) {
    values.set(SINCE, now);
    values.set(PHASE, IDLE);
  }

  public void add(int counter, long amount) {
    values.lazySet(counter, values.get(counter) + amount);
  }

  /** A counter of records or bytes, in the task's step. */
  public long value(int counter) {
    return values.get(counter);
  }

  public void busy(long now) {
    phase(BUSY, now);
  }

  public void backPressured(long now) {
    phase(BACK_PRESSURED, now);
  }

  public void idle(long now) {
    phase(IDLE, now);
  }

  private void phase(int next, long now) {
    int current = (int) values.get(PHASE);
    if (current == next) {
      return;
    }
    long changes = values.get(CHANGES);
    values.set(CHANGES, changes + 1);
    add(current, Math.max(0, now - values.get(SINCE)));
    values.lazySet(SINCE, now);
    values.lazySet(PHASE, next);
    values.lazySet(CHANGES, changes + 2);
  }

  public TaskCounters read(ExecutionId execution, long now, boolean running) {
    while (true) {
      long changes = values.get(CHANGES);
      int phase = (int) values.get(PHASE);
      long open = running ? Math.max(0, now - values.get(SINCE)) : 0;
      long busy = values.get(BUSY) + (phase == BUSY ? open : 0);
      long backPressured = values.get(BACK_PRESSURED) + (phase == BACK_PRESSURED ? open : 0);
      long idle = values.get(IDLE) + (phase == IDLE ? open : 0);
      if ((changes & 1) == 0 && values.get(CHANGES) == changes) {
        return new TaskCounters(
            execution,
            values.get(RECORDS_IN),
            values.get(RECORDS_OUT),
            values.get(BYTES_IN),
            values.get(BYTES_OUT),
            busy / 1_000_000,
            backPressured / 1_000_000,
            idle / 1_000_000);
      }
      // The writer may be waiting for a processor in the middle of a change.
      LockSupport.parkNanos(10_000);
    }
  }
}
