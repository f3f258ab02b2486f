package io.millrace.api.sink;

import java.io.IOException;

/** One parallel instance of a sink. */
public interface SinkWriter<T> extends AutoCloseable {
  void write(T record) throws Exception;

  /** The input is complete: what was written becomes visible, all of it or nothing. */
  default void finish() throws Exception {}

  /** Ends the writer, finished or not; what was not finished is discarded. */
  @Override
  default void close() throws IOException {}
}
