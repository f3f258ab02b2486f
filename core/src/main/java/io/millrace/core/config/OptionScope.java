package io.millrace.core.config;

/** The smallest scope for which an option can be set. */
public enum OptionScope {
  /** Read by each command of the command line, and by clusters when they start. */
  COMMAND,
  /** Set per job; the cluster's configuration has the default. */
  JOB,
  /** Read by the processes of a cluster when they start. */
  CLUSTER
}
