package io.millrace.api.sink;

/**
 * A sink whose output becomes visible in one place: a {@link GlobalCommitter}, in a task of
 * parallelism 1, gets the committables of all writers. With a committer that sees everything,
 * output of all subtasks can become visible together, or a marker can say that it is complete.
 *
 * <p>Committables are committed when the checkpoint that contains them is complete, and again when
 * a job starts with such a checkpoint. If the sink is a {@link CommittingSink}, too, the committers
 * of the subtasks come first: the global committer gets what they have committed, one checkpoint
 * later.
 *
 * @param <T> the records
 * @param <C> the committables, which can be serialised like records
 */
public interface GlobalCommittingSink<T, C> extends Sink<T> {
  @Override
  CommittingSinkWriter<T, C> createWriter(SinkContext context) throws Exception;

  /** Creates the committer. The parallelism of its context is 1. */
  GlobalCommitter<C> createGlobalCommitter(SinkContext context) throws Exception;
}
