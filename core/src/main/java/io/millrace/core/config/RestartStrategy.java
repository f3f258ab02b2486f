package io.millrace.core.config;

/** How a job reacts to the failure of a task. */
public enum RestartStrategy {
  /** The job fails. */
  NONE,
  /** The job restarts after a fixed delay, a bounded number of times. */
  FIXED_DELAY,
  /** The job restarts after a fixed delay, a bounded number of times per interval. */
  FAILURE_RATE,
  /** The job restarts after a delay that grows with each failure and is reset when it runs long. */
  EXPONENTIAL_DELAY
}
