package io.millrace.dataplane;

import io.millrace.api.function.Collector;

/** The collector that user code gets. It is how a call that emits on and on hears of a stop. */
final class Emit implements Collector<Object> {
  private final Task task;
  private final Stage next;

  Emit(Task task, Stage next) {
    this.task = task;
    this.next = next;
  }

  @Override
  public void emit(Object record) {
    task.checkStop();
    try {
      next.push(record);
    } catch (Throwable thrown) {
      throw task.emitFailed(thrown);
    }
  }
}
