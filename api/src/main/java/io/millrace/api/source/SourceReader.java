package io.millrace.api.source;

import io.millrace.api.function.Collector;
import java.io.IOException;

/** One parallel instance of a source. */
public interface SourceReader<T> extends AutoCloseable {
  /** What a poll ended with. */
  enum Status {
    /** There is more now. */
    MORE,
    /** Nothing now; the reader wakes the task through its context when there is. */
    WAIT,
    /** There will never be more. */
    END
  }

  /** Emits at most {@code limit} records without blocking. */
  Status poll(Collector<T> out, int limit) throws Exception;

  @Override
  default void close() throws IOException {}
}
