package io.millrace.api.sink;

import java.io.IOException;

/** One parallel instance of a sink. */
public interface SinkWriter<T> extends AutoCloseable {
  void write(T record) throws Exception;

  /** Commits the written records atomically, because the input is complete. */
  default void finish() throws Exception {}

  /** Closes the writer; discards records that were not committed. */
  @Override
  default void close() throws IOException {}
}
