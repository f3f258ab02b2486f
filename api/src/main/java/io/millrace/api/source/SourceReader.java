package io.millrace.api.source;

import java.util.List;

/**
 * One parallel instance of a source. The engine calls {@link #addSplits}, then {@link #poll} and
 * {@link #snapshot} in any order, then {@link #close}.
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

  /** The checkpoint is durable: a failure does not go back behind its positions. */
  default void checkpointCompleted(long checkpoint) throws Exception {}
}
