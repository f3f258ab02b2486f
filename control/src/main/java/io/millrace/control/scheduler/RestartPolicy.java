package io.millrace.control.scheduler;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.Failure;
import io.millrace.task.LostPartitionException;
import java.time.Duration;

/** How often a job may start again, and after which pause. */
final class RestartPolicy {
  private final int allowed;
  private final Duration delay;
  private int used;
  private boolean futile;

  RestartPolicy(Configuration configuration) {
    boolean none =
        configuration.get(RestartStrategyOptions.RESTART_STRATEGY) == RestartStrategy.NONE;
    this.allowed = none ? 0 : configuration.get(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS);
    this.delay = configuration.get(RestartStrategyOptions.FIXED_DELAY);
  }

  /** Uses up one restart, where there is one left and it may help against this failure. */
  boolean another(Failure failure) {
    // The graph says where the result is, and nobody puts it there again.
    futile = LostPartitionException.caused(failure);
    if (futile || used >= allowed) {
      return false;
    }
    used++;
    return true;
  }

  int used() {
    return used;
  }

  Duration delay() {
    return delay;
  }

  /** Why there is none, for people. */
  String refusal() {
    if (futile) {
      return "the same job would look for the result in the same place";
    }
    return allowed == 0
        ? "the job has no restart strategy ("
            + RestartStrategyOptions.RESTART_STRATEGY.key()
            + "=fixed-delay would give it one)"
        : "all "
            + allowed
            + " restarts of "
            + RestartStrategyOptions.FIXED_DELAY_ATTEMPTS.key()
            + " have been used";
  }
}
