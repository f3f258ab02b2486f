package io.millrace.api.sink;

/**
 * Commits the output of all writers of a {@link GlobalCommittingSink}.
 *
 * @param <C> the committables
 */
public interface GlobalCommitter<C> extends Committer<C> {
  /**
   * All records of the sink are written, and everything is committed. Not called if the job is
   * stopped before the end of its input. Like a commit it is repeated after a failure.
   */
  default void endOfInput() throws Exception {}
}
