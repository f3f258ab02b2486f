package io.millrace.core.config;

/** Where a JobManager stores the details of ended jobs. */
public enum JobStoreType {
  /** In memory: they are lost when the JobManager ends. */
  MEMORY,
  /** In one file per job. They take no memory and are available after a restart. */
  FILE
}
