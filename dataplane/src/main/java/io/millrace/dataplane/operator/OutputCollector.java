package io.millrace.dataplane.operator;

import io.millrace.api.function.Collector;

/** The collector of user code. A call that keeps emitting ends here when the task stops. */
public final class OutputCollector implements Collector<Object> {
  private final TaskEnvironment task;
  private final StreamOperator next;

  public OutputCollector(TaskEnvironment task, StreamOperator next) {
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
