package io.millrace.api.source;

import java.io.IOException;
import java.util.Optional;

/**
 * Emits records when it is polled. One thread at a time calls it.
 *
 * <pre>{@code
 * // Emits what another thread has put into a queue.
 * class QueueReader implements PollingReader<String> {
 *   private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
 *   private final SourceContext context;
 *
 *   QueueReader(SourceContext context) {
 *     this.context = context;
 *   }
 *
 *   void received(String message) {
 *     queue.add(message);
 *     context.wake();
 *   }
 *
 *   public Status poll(SourceOutput<String> out, int limit) {
 *     for (int count = 0; count < limit && !queue.isEmpty(); count++) {
 *       out.emit(queue.remove());
 *     }
 *     return queue.isEmpty() ? Status.WAIT : Status.MORE;
 *   }
 * }
 * }</pre>
 */
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
