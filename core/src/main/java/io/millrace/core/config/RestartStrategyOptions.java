package io.millrace.core.config;

import java.time.Duration;

/** Options about what happens when a task fails. */
public final class RestartStrategyOptions {
  public static final Option<RestartStrategy> RESTART_STRATEGY =
      Option.choice(
              "restart-strategy.type",
              RestartStrategy.class,
              RestartStrategy.NONE,
              "What happens when a task fails: the job fails, or restarts after a fixed delay.")
          .perJob();
  public static final Option<Integer> FIXED_DELAY_ATTEMPTS =
      Option.integer(
              "restart-strategy.fixed-delay.attempts",
              1,
              "Restarts a job may have before it fails.")
          .atLeast(0)
          .perJob();
  public static final Option<Duration> FIXED_DELAY =
      Option.duration(
              "restart-strategy.fixed-delay.delay",
              "1 s",
              "Pause between a failure and the restart.")
          .atLeast("0 ms")
          .perJob();

  private RestartStrategyOptions() {}
}
