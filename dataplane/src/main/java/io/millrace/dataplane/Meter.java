package io.millrace.dataplane;

import io.millrace.core.id.ExecutionId;
import io.millrace.graph.task.TaskCounters;
import java.util.concurrent.atomic.AtomicLongArray;

/** What a task counts. Written by its step only, read from anywhere. */
final class Meter {
  static final int RECORDS_IN = 0;
  static final int RECORDS_OUT = 1;
  static final int BYTES_IN = 2;
  static final int BYTES_OUT = 3;
  private static final int BUSY = 4;
  private static final int BACK_PRESSURED = 5;
  private static final int IDLE = 6;

  /** When the present phase began, and which of the three it is. */
  private static final int SINCE = 7;

  private static final int PHASE = 8;

  private final AtomicLongArray values = new AtomicLongArray(9);

  Meter(long now) {
    values.set(SINCE, now);
    values.set(PHASE, IDLE);
  }

  void add(int counter, long amount) {
    values.lazySet(counter, values.get(counter) + amount);
  }

  void busy(long now) {
    phase(BUSY, now);
  }

  void backPressured(long now) {
    phase(BACK_PRESSURED, now);
  }

  void idle(long now) {
    phase(IDLE, now);
  }

  private void phase(int next, long now) {
    int current = (int) values.get(PHASE);
    add(current, Math.max(0, now - values.get(SINCE)));
    values.lazySet(SINCE, now);
    values.lazySet(PHASE, next);
  }

  TaskCounters read(ExecutionId execution, long now, boolean running) {
    int phase = (int) values.get(PHASE);
    long open = running ? Math.max(0, now - values.get(SINCE)) : 0;
    return new TaskCounters(
        execution,
        values.get(RECORDS_IN),
        values.get(RECORDS_OUT),
        values.get(BYTES_IN),
        values.get(BYTES_OUT),
        (values.get(BUSY) + (phase == BUSY ? open : 0)) / 1_000_000,
        (values.get(BACK_PRESSURED) + (phase == BACK_PRESSURED ? open : 0)) / 1_000_000,
        (values.get(IDLE) + (phase == IDLE ? open : 0)) / 1_000_000);
  }
}
