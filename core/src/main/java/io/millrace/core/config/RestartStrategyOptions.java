package io.millrace.core.config;

import java.time.Duration;

/** Options of restarts after a failure of a task. */
public final class RestartStrategyOptions {
  public static final Option<RestartStrategy> RESTART_STRATEGY =
      Option.choice(
              "restart-strategy.type",
              RestartStrategy.class,
              RestartStrategy.NONE,
              "What happens when a task fails: the job fails, or restarts after a"
                  + " fixed delay.")
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

  private RestartStrategyOptions() {}
}
