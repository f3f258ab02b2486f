package io.millrace.core.config;

/** Where a JobManager keeps the details of jobs that have ended. */
public enum JobStoreType {
  /** With the JobManager they go. */
  MEMORY,
  /** In a file each, so that they take no memory, and a JobManager started again has them. */
  FILE
}
