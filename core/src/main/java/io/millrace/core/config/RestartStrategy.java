package io.millrace.core.config;

/** What happens to a job when one of its tasks fails. */
public enum RestartStrategy {
  /** The job fails. */
  NONE,
  /** The job restarts after a fixed delay, a bounded number of times. */
  FIXED_DELAY
}
