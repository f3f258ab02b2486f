package io.millrace.dataplane;

import io.millrace.api.OutputTag;

/** Who reads what an operator emits under tags. */
final class SideOutputs {
  private final Task task;
  private final String[] tags;
  private final StreamOperator[] readers;

  /** The readers of each tag; a tag that nobody reads is left out. */
  SideOutputs(Task task, String[] tags, StreamOperator[] readers) {
    this.task = task;
    this.tags = tags;
    this.readers = readers;
  }

  /** A record nobody reads is dropped. */
  void emit(OutputTag<?> tag, Object record) {
    task.checkStop();
    try {
      emitUnchecked(tag.id(), record);
    } catch (Throwable thrown) {
      throw task.emitFailed(thrown);
    }
  }

  void emitUnchecked(String tag, Object record) {
    for (int i = 0; i < tags.length; i++) {
      if (tags[i].equals(tag)) {
        readers[i].processElement(record);
        return;
      }
    }
  }
}
