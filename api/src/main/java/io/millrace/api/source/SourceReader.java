package io.millrace.api.source;

import io.millrace.api.function.Collector;
import java.io.IOException;
import java.util.Optional;

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

  /**
   * Where the record comes from that it emitted last or was about to emit, for people who look for
   * a record that made a program fail: {@code byte 1234 of /data/a.txt}. Asked from inside of
   * {@link #poll} only.
   */
  default Optional<String> position() {
    return Optional.empty();
  }

  @Override
  default void close() throws IOException {}
}
