package io.millrace.api.sink;

/**
 * A sink whose output becomes visible exactly once. Its writers prepare output; a {@link Committer}
 * makes it visible.
 *
 * <p>What a writer has prepared at a checkpoint is described by committables, which are part of the
 * checkpoint. They are committed when the checkpoint is complete. A job that starts with a
 * checkpoint first commits the committables that the checkpoint contains, because the job may have
 * failed before it committed them. Committables of an aborted checkpoint are committed with the
 * next one that completes.
 *
 * <p>At the end of input a job with periodic checkpoints waits for one more checkpoint, then
 * commits the rest. A job without periodic checkpoints commits at the end of input.
 *
 * <pre>{@code
 * // Writes numbered files, which get their names with the checkpoint that contains them.
 * class PartSink implements CommittingSink<String, Integer> {
 *   public CommittingSinkWriter<String, Integer> createWriter(SinkContext context) {
 *     return new CommittingSinkWriter<>() {
 *       private final List<String> lines = new ArrayList<>();
 *       private int number;
 *
 *       public void write(String line) {
 *         lines.add(line);
 *       }
 *
 *       public List<Integer> prepareCommit() throws IOException {
 *         Files.write(Path.of("/data/.part-" + ++number), lines);
 *         lines.clear();
 *         return List.of(number);
 *       }
 *     };
 *   }
 *
 *   public Committer<Integer> createCommitter(SinkContext context) {
 *     return numbers -> {
 *       for (int number : numbers) {
 *         Path hidden = Path.of("/data/.part-" + number);
 *         if (Files.exists(hidden)) {
 *           Files.move(hidden, Path.of("/data/part-" + number));
 *         }
 *       }
 *     };
 *   }
 * }
 *
 * orders.map(Order::customer).sinkTo(new PartSink()).parallelism(1);
 * }</pre>
 *
 * @param <T> the records
 * @param <C> the committables, which can be serialised like records
 */
public interface CommittingSink<T, C> extends Sink<T> {
  @Override
  CommittingSinkWriter<T, C> createWriter(SinkContext context) throws Exception;

  /** Creates the committer of one instance, before its writer. */
  Committer<C> createCommitter(SinkContext context) throws Exception;
}
