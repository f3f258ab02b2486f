package io.millrace.core.config;

/** How a job reacts to the failure of a task. */
public enum RestartStrategy {
  /** The job fails. */
  NONE,
  /** The job restarts after a fixed delay, a bounded number of times. */
  FIXED_DELAY
}
