package io.millrace.dataplane;

import io.millrace.api.function.Collector;

/** The collector that user code gets. It is how a call that never returns hears of a stop. */
final class Emit implements Collector<Object> {
  private static final int EMITS_A_CHECK = 1024;

  private final Task task;
  private final Stage next;
  private int emitted;

  Emit(Task task, Stage next) {
    this.task = task;
    this.next = next;
  }

  @Override
  public void emit(Object record) {
    if (++emitted == EMITS_A_CHECK) {
      emitted = 0;
      task.checkStop();
    }
    next.push(record);
  }
}
