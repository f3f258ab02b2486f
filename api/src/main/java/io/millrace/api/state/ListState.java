package io.millrace.api.state;

import java.util.List;

/** A list of the current key or, as operator state, of the subtask; in insertion order. */
public interface ListState<T> {
  /** The elements as they are now; empty if there are none. */
  List<T> values();

  void add(T element);

  void addAll(Iterable<? extends T> elements);

  /** Replaces all elements. */
  void update(Iterable<? extends T> elements);

  void clear();
}
