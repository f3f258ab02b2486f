package io.millrace.api.source;

import io.millrace.api.function.Collector;
import java.io.IOException;
import java.util.List;

/**
 * Finds the splits of a source. There is one per source, in a task with parallelism 1. The engine
 * keeps the splits that it finds until a reader gets them; they are part of the task's state. One
 * thread at a time calls it.
 *
 * <pre>{@code
 * record Day(String date) implements SourceSplit {
 *   public String splitId() {
 *     return date;
 *   }
 * }
 *
 * // Finds each day once, when it is over.
 * class Days implements SplitEnumerator<Day, String> {
 *   private final EnumeratorContext context;
 *   private LocalDate next;
 *
 *   Days(LocalDate from, EnumeratorContext context) {
 *     this.next = from;
 *     this.context = context;
 *   }
 *
 *   public PollingReader.Status discover(Collector<Day> days) {
 *     for (; next.isBefore(LocalDate.now(ZoneOffset.UTC)); next = next.plusDays(1)) {
 *       days.emit(new Day(next.toString()));
 *     }
 *     context.wakeAfter(Duration.ofMinutes(1));
 *     return PollingReader.Status.WAIT;
 *   }
 *
 *   public List<String> snapshot(long checkpoint) {
 *     return List.of(next.toString());
 *   }
 * }
 * }</pre>
 *
 * @param <S> the splits
 * @param <E> the elements of its state
 */
public interface SplitEnumerator<S extends SourceSplit, E> extends AutoCloseable {
  /**
   * Adds the splits that are new since the last call. Called at the start, again if it returned
   * MORE, and after {@link EnumeratorContext#wake} or {@link EnumeratorContext#wakeAfter} if it
   * returned WAIT. After END it is not called again, not even after a restart.
   */
  PollingReader.Status discover(Collector<S> splits) throws Exception;

  /**
   * What the enumerator has to know to find each split once after a restart. The splits that it has
   * found are not a part of it.
   *
   * @param checkpoint the number of the checkpoint
   */
  List<E> snapshot(long checkpoint) throws Exception;

  /** The checkpoint is durable: a failure does not go back behind it. */
  default void checkpointCompleted(long checkpoint) throws Exception {}

  @Override
  default void close() throws IOException {}
}
