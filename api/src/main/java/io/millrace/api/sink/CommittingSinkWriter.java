package io.millrace.api.sink;

import java.util.List;

/**
 * A writer whose output is committed in a second step.
 *
 * @param <T> the records
 * @param <C> the committables
 */
public interface CommittingSinkWriter<T, C> extends SinkWriter<T> {
  /**
   * The output since the last call. Called after each {@link #flush}. From now on the output
   * belongs to the committer: {@link #close} does not discard it.
   */
  List<C> prepareCommit() throws Exception;
}
