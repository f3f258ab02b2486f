package io.millrace.api.function;

/** Where a function puts its records. A record must not be changed after it was emitted. */
@FunctionalInterface
public interface Collector<T> {
  void emit(T record);
}
