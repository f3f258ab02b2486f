package io.millrace.api.source;

import java.util.List;

/**
 * A source whose splits are found by a {@link SplitEnumerator}, which runs in a task of its own,
 * and are assigned to readers while the job runs. {@link Source} itself is for splits that every
 * instance can compute alone when the job starts.
 *
 * <p>At each checkpoint a split is in exactly one place: not yet found, found and waiting for a
 * reader, or in the state of a reader. A job that goes on from a checkpoint has the splits in these
 * places again, also with another parallelism.
 *
 * <pre>{@code
 * record Day(String date) implements SourceSplit {
 *   public String splitId() {
 *     return date;
 *   }
 * }
 *
 * // SplitEnumerator and SourceReader have examples of an enumerator and of a reader.
 * abstract class Reports implements EnumeratedSource<String, Day, String> {
 *   abstract SplitEnumerator<Day, String> enumerator(LocalDate from, EnumeratorContext context);
 *
 *   public boolean isBounded() {
 *     return false;
 *   }
 *
 *   public SplitEnumerator<Day, String> createEnumerator(EnumeratorContext context) {
 *     return enumerator(LocalDate.EPOCH, context);
 *   }
 *
 *   public SplitEnumerator<Day, String> restoreEnumerator(
 *       EnumeratorContext context, List<String> state) {
 *     return enumerator(LocalDate.parse(state.get(0)), context);
 *   }
 * }
 * }</pre>
 *
 * @param <T> the records
 * @param <S> the splits
 * @param <E> the elements of the enumerator's state, which can be serialised like records
 */
public interface EnumeratedSource<T, S extends SourceSplit, E> extends Source<T, S> {
  /** Which reader gets a split. */
  enum Assignment {
    /**
     * A reader has one split at a time and gets the next one when it has read it. For splits that
     * end.
     */
    ON_REQUEST,
    /**
     * The reader with the fewest splits gets a new split at once, beside those that it has. For
     * splits that do not end, such as partitions of a log.
     */
    AT_ONCE
  }

  /** Creates the enumerator of a job that starts without state. */
  SplitEnumerator<S, E> createEnumerator(EnumeratorContext context) throws Exception;

  /**
   * Creates the enumerator of a job that goes on from a checkpoint.
   *
   * @param state what {@link SplitEnumerator#snapshot} returned
   */
  SplitEnumerator<S, E> restoreEnumerator(EnumeratorContext context, List<E> state)
      throws Exception;

  default Assignment assignment() {
    return Assignment.ON_REQUEST;
  }

  /** None: the enumerator finds them. */
  @Override
  default List<S> initialSplits(SourceContext context) {
    return List.of();
  }
}
