package io.millrace.api.source;

import java.io.IOException;
import java.util.Optional;

/** Emits records when it is polled. One thread at a time calls it. */
@FunctionalInterface
public interface PollingReader<T> extends AutoCloseable {
  /** The result of a poll. */
  enum Status {
    /** More records are available now. */
    MORE,
    /** No record is available; the reader wakes the task through its context later. */
    WAIT,
    /** All records were emitted. */
    END
  }

  /** Emits at most {@code limit} records without blocking. */
  Status poll(SourceOutput<T> out, int limit) throws Exception;

  /**
   * The position of the current record, for error messages: {@code byte 1234 of /data/a.txt}.
   * Called only during {@link #poll}.
   */
  default Optional<String> position() {
    return Optional.empty();
  }

  @Override
  default void close() throws IOException {}
}
