package io.millrace.api.sink;

import java.io.IOException;
import java.util.List;

/**
 * Makes output visible that writers have prepared. One instance of a sink may get committables of
 * any other one, after the parallelism has changed.
 *
 * <pre>{@code
 * record Part(String hidden, String visible) {}
 *
 * // Gives files their names. A file that is not there was committed before.
 * Committer<Part> committer =
 *     parts -> {
 *       for (Part part : parts) {
 *         if (Files.exists(Path.of(part.hidden()))) {
 *           Files.move(Path.of(part.hidden()), Path.of(part.visible()));
 *         }
 *       }
 *     };
 * }</pre>
 *
 * @param <C> the committables
 */
public interface Committer<C> extends AutoCloseable {
  /**
   * Commits in this order. The call is repeated, also by another process and even after it was
   * successful, so a committable that is already committed must have no effect. An exception is
   * retried a few times, then it fails the task; the task's restart commits again. A {@link
   * CommitFailedException} is not retried and fails the job.
   */
  void commit(List<C> committables) throws Exception;

  @Override
  default void close() throws IOException {}
}
