package io.millrace.api.source;

import java.io.Serializable;
import java.util.List;

/**
 * Produces records in one or more parallel instances. A source is divided into splits; each split
 * is read by one instance at a time, and a checkpoint has the position of each. The splits of an
 * {@link EnumeratedSource} are found while the job runs.
 *
 * <pre>{@code
 * record Position(long next) implements SourceSplit {
 *   public String splitId() {
 *     return "numbers";
 *   }
 * }
 *
 * // The numbers below a thousand, which one instance emits.
 * class Numbers implements Source<Long, Position> {
 *   public boolean isBounded() {
 *     return true;
 *   }
 *
 *   public int maxParallelism() {
 *     return 1;
 *   }
 *
 *   public List<Position> initialSplits(SourceContext context) {
 *     return List.of(new Position(0));
 *   }
 *
 *   public SourceReader<Long, Position> createReader(SourceContext context) {
 *     return new SourceReader<>() {
 *       private long next = 1_000;
 *
 *       public void addSplits(List<Position> splits) {
 *         splits.forEach(split -> next = split.next());
 *       }
 *
 *       public Status poll(SourceOutput<Long> out, int limit) {
 *         for (int count = 0; count < limit && next < 1_000; count++) {
 *           out.emit(next++);
 *         }
 *         return next < 1_000 ? Status.MORE : Status.END;
 *       }
 *
 *       public List<Position> snapshot(long checkpoint) {
 *         return next < 1_000 ? List.of(new Position(next)) : List.of();
 *       }
 *     };
 *   }
 * }
 *
 * env.fromSource(new Numbers(), "numbers").print();
 * }</pre>
 *
 * @param <T> the records
 * @param <S> the splits
 */
public interface Source<T, S extends SourceSplit> extends Serializable {
  /** Whether the source ends by itself. */
  boolean isBounded();

  /** How many parallel instances can share the work; 1 for a source that cannot be divided. */
  default int maxParallelism() {
    return Integer.MAX_VALUE;
  }

  /**
   * The splits with which one instance starts, if the job starts without state. The instances must
   * agree on them: together they have each split once. A job that starts with the state of a
   * checkpoint gets the splits of the checkpoint, distributed over its instances.
   */
  List<S> initialSplits(SourceContext context) throws Exception;

  /** Creates the reader of one instance; its splits follow. */
  SourceReader<T, S> createReader(SourceContext context) throws Exception;
}
