package io.millrace.core.config;

/** Where a JobManager keeps what the next one needs to go on. */
public enum HighAvailability {
  /** Nowhere: its jobs end with it. */
  NONE,
  /** In a directory, from which one that is started again recovers. */
  FILE
}
