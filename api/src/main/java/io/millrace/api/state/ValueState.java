package io.millrace.api.state;

/** A single value of the current key. */
public interface ValueState<T> {
  /** The value, or null if the key has none. */
  T value();

  /** The value, or this one if the key has none. */
  default T valueOr(T otherwise) {
    T value = value();
    return value == null ? otherwise : value;
  }

  /** Sets the value; null is the same as {@link #clear}. */
  void update(T value);

  void clear();
}
