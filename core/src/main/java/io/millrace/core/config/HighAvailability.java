package io.millrace.core.config;

/** Where a JobManager stores the data for its recovery. */
public enum HighAvailability {
  /** No storage: jobs end with the JobManager. */
  NONE,
  /** In a directory, from which a restarted JobManager recovers. */
  FILE
}
