package io.millrace.dataplane.operator;

import io.millrace.api.process.OutputTag;

/** The consumers of an operator's side outputs. */
public final class SideOutputs {
  private final TaskEnvironment task;
  private final String[] tags;
  private final StreamOperator[] consumers;

  /** Takes the consumer of each tag; a tag without consumers is left out. */
  public SideOutputs(TaskEnvironment task, String[] tags, StreamOperator[] consumers) {
    this.task = task;
    this.tags = tags;
    this.consumers = consumers;
  }

  /** Emits a record of user code. A record under a tag without consumers is dropped. */
  public void emit(OutputTag<?> tag, Object record) {
    task.checkStop();
    try {
      emitUnchecked(tag.id(), record);
    } catch (Throwable thrown) {
      throw task.emitFailed(thrown);
    }
  }

  /** Emits a record of the engine. */
  public void emitUnchecked(String tag, Object record) {
    for (int i = 0; i < tags.length; i++) {
      if (tags[i].equals(tag)) {
        consumers[i].processElement(record);
        return;
      }
    }
  }
}
