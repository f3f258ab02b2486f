package io.millrace.api.process;

import java.io.Serializable;

/**
 * A function with a beginning and an end, which may know where it runs. A map, flat map, filter,
 * reduce, aggregate or window function that implements this, too, is opened before its first
 * record; process functions always are.
 */
public interface RichFunction extends Serializable {
  /** Called once, before the first record. */
  default void open(RuntimeContext context) throws Exception {}

  /** Called once at the end of the task, however it ended, also if it could not be opened. */
  default void close() throws Exception {}
}
