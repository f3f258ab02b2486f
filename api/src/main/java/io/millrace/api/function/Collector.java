package io.millrace.api.function;

/** Takes the results of a function. A record must not be changed after it was emitted. */
@FunctionalInterface
public interface Collector<T> {
  void emit(T record);
}
