package io.millrace.core.config;

/** How a job treats its input. */
public enum RuntimeMode {
  /** Results are updated as records arrive: a keyed aggregation emits on every record. */
  STREAMING,
  /**
   * The input is complete: a keyed aggregation emits each key once, at the end of its input. All
   * sources must be bounded.
   */
  BATCH
}
