package io.millrace.api.state;

/** A reduced value of the current key. */
public interface ReducingState<T> {
  /** The combined value, or null if nothing was added. */
  T value();

  void add(T element) throws Exception;

  void clear();
}
