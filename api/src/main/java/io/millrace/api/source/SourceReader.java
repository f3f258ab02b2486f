package io.millrace.api.source;

import java.util.List;
import java.util.Set;

/**
 * One parallel instance of a source. The engine calls {@link #addSplits}, {@link #poll} and {@link
 * #snapshot} in any order, at last {@link #close}.
 *
 * <p>END of {@link #poll} means that all splits so far are read. The reader of an {@link
 * EnumeratedSource} may get more after that and is polled again then.
 *
 * <pre>{@code
 * record Countdown(String name, long left) implements SourceSplit {
 *   public String splitId() {
 *     return name;
 *   }
 * }
 *
 * class CountdownReader implements SourceReader<Long, Countdown> {
 *   private final ArrayDeque<Countdown> splits = new ArrayDeque<>();
 *
 *   public void addSplits(List<Countdown> added) {
 *     splits.addAll(added);
 *   }
 *
 *   public Status poll(SourceOutput<Long> out, int limit) {
 *     for (int count = 0; count < limit && !splits.isEmpty(); count++) {
 *       Countdown split = splits.removeFirst();
 *       out.emit(split.left());
 *       if (split.left() > 0) {
 *         splits.addFirst(new Countdown(split.name(), split.left() - 1));
 *       }
 *     }
 *     return splits.isEmpty() ? Status.END : Status.MORE;
 *   }
 *
 *   public List<Countdown> snapshot(long checkpoint) {
 *     return List.copyOf(splits);
 *   }
 * }
 * }</pre>
 *
 * @param <T> the records
 * @param <S> the splits
 */
public interface SourceReader<T, S extends SourceSplit> extends PollingReader<T> {
  /** Adds splits to read, each from its position on. May be called with an empty list. */
  void addSplits(List<S> splits) throws Exception;

  /**
   * The splits that are not completely read, each with the position behind the records that were
   * emitted.
   *
   * @param checkpoint the number of the checkpoint
   */
  List<S> snapshot(long checkpoint) throws Exception;

  /**
   * Emits no records of these splits until the next call, because their watermarks are too far
   * ahead of their alignment group. A reader that does not implement it is not polled while the
   * lowest of its watermarks is too far ahead.
   *
   * @param splitIds all splits that are paused now, of those that the reader has named in {@link
   *     SourceOutput#split}
   */
  default void pauseSplits(Set<String> splitIds) throws Exception {}

  /** The checkpoint is durable: a failure does not go back behind its positions. */
  default void checkpointCompleted(long checkpoint) throws Exception {}
}
