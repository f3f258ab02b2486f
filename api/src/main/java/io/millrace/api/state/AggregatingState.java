package io.millrace.api.state;

/** An accumulator of the current key. */
public interface AggregatingState<T, R> {
  /** The result, or null if nothing was added. */
  R value() throws Exception;

  void add(T element) throws Exception;

  void clear();
}
