package io.millrace.dataplane;

import io.millrace.api.function.Collector;

/** The collector that user code gets. It is how a call that emits on and on hears of a stop. */
final class OutputCollector implements Collector<Object> {
  private final Task task;
  private final StreamOperator next;

  OutputCollector(Task task, StreamOperator next) {
    this.task = task;
    this.next = next;
  }

  @Override
  public void emit(Object record) {
    task.checkStop();
    try {
      next.processElement(record);
    } catch (Throwable thrown) {
      throw task.emitFailed(thrown);
    }
  }
}
