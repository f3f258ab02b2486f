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
 * <pre>{@code
 * // Adds a sink's files to the list of a directory, those of all subtasks together.
 * record ListedSink(CommittingSink<Order, String> files)
 *     implements GlobalCommittingSink<Order, String> {
 *   public CommittingSinkWriter<Order, String> createWriter(SinkContext context)
 *       throws Exception {
 *     return files.createWriter(context);
 *   }
 *
 *   public GlobalCommitter<String> createGlobalCommitter(SinkContext context) {
 *     return names -> Files.write(Path.of("/data/files.txt"), names, StandardOpenOption.APPEND);
 *   }
 * }
 * }</pre>
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
