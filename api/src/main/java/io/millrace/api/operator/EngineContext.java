package io.millrace.api.operator;

/**
 * What functions of the engine can do beyond those of programs. The contexts of keyed functions
 * implement it.
 */
public interface EngineContext {
  /** Sets the timestamp of the results that follow in this call. */
  void resultTimestamp(long timestamp);

  /** Counts a record that is dropped because it is late. */
  void lateDropped();
}
