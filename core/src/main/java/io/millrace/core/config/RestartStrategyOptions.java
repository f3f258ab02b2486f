package io.millrace.core.config;

import java.time.Duration;

/** Options of restarts after a failure of a task. */
public final class RestartStrategyOptions {
  public static final Option<RestartStrategy> RESTART_STRATEGY =
      Option.choice(
              "restart-strategy.type",
              RestartStrategy.class,
              "What happens when a task fails: the job fails (none), or restarts after a fixed delay,"
                  + " unless failures are too frequent, or after a growing delay. The default is"
                  + " exponential-delay for a job with checkpoints, else none.")
          .perJob();
  public static final Option<Integer> FIXED_DELAY_ATTEMPTS =
      Option.integer(
              "restart-strategy.fixed-delay.attempts",
              1,
              "Maximum number of restarts before the job fails.")
          .atLeast(0)
          .perJob();
  public static final Option<Duration> FIXED_DELAY =
      Option.duration(
              "restart-strategy.fixed-delay.delay",
              "1 s",
              "Delay between a failure and the restart.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Integer> FAILURE_RATE_MAX_FAILURES =
      Option.integer(
              "restart-strategy.failure-rate.max-failures-per-interval",
              1,
              "Maximum number of restarts in an interval before the job fails.")
          .atLeast(0)
          .perJob();
  public static final Option<Duration> FAILURE_RATE_INTERVAL =
      Option.duration(
              "restart-strategy.failure-rate.failure-rate-interval",
              "1 min",
              "Interval in which restarts are counted.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Duration> FAILURE_RATE_DELAY =
      Option.duration(
              "restart-strategy.failure-rate.delay",
              "1 s",
              "Delay between a failure and the restart.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Duration> EXPONENTIAL_INITIAL_BACKOFF =
      Option.duration(
              "restart-strategy.exponential-delay.initial-backoff",
              "1 s",
              "Delay of the first restart.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Duration> EXPONENTIAL_MAX_BACKOFF =
      Option.duration(
              "restart-strategy.exponential-delay.max-backoff",
              "1 min",
              "Longest delay between a failure and the restart.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Double> EXPONENTIAL_MULTIPLIER =
      Option.decimal(
              "restart-strategy.exponential-delay.backoff-multiplier",
              1.5,
              "Factor by which the delay grows with each restart.")
          .atLeast(1)
          .perJob();
  public static final Option<Duration> EXPONENTIAL_RESET_THRESHOLD =
      Option.duration(
              "restart-strategy.exponential-delay.reset-backoff-threshold",
              "1 h",
              "Time without a failure after which the delay starts from its initial value again.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Double> EXPONENTIAL_JITTER =
      Option.decimal(
              "restart-strategy.exponential-delay.jitter-factor",
              0.1,
              "Fraction of the delay that is randomly added or subtracted, so that jobs do not"
                  + " restart at the same time.")
          .between(0, 1)
          .perJob();
  public static final Option<Integer> EXPONENTIAL_ATTEMPTS =
      Option.integer(
              "restart-strategy.exponential-delay.attempts-before-reset-backoff",
              Integer.MAX_VALUE,
              "Maximum number of restarts, counted from the last reset of the delay, before the job"
                  + " fails.")
          .atLeast(0)
          .perJob();

  private RestartStrategyOptions() {}
}
