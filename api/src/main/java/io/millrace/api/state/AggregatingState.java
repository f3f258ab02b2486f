package io.millrace.api.state;

/** What was added for the key at work, folded into an accumulator. */
public interface AggregatingState<T, R> {
  /** The result so far, or null if nothing was added. */
  R value() throws Exception;

  void add(T element) throws Exception;

  void clear();
}
