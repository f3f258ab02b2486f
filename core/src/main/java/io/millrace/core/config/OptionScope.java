package io.millrace.core.config;

/** The smallest thing for which an option can be set. */
public enum OptionScope {
  /** Read by each command of the command line, and by clusters when they start. */
  COMMAND,
  /** Travels with a job; a cluster's configuration has the default for all jobs. */
  JOB,
  /** Read by the processes of a cluster when they start, and fixed from then on. */
  CLUSTER
}
