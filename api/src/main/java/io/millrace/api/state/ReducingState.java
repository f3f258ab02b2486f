package io.millrace.api.state;

/** What was added for the key at work, combined into one. */
public interface ReducingState<T> {
  /** The combined value, or null if nothing was added. */
  T value();

  void add(T element) throws Exception;

  void clear();
}
