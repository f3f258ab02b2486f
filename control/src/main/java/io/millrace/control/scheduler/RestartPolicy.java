package io.millrace.control.scheduler;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.Failure;
import io.millrace.protocol.reason.JobReason.RestartRefusal;
import io.millrace.protocol.reason.JobReason.RestartRefused;
import io.millrace.task.LostPartitionException;
import java.time.Duration;

/** The restart strategy of a job: the number of restarts and the delay. */
final class RestartPolicy {
  private final int allowed;
  private final Duration delay;
  private int used;
  private boolean cannotHelp;

  RestartPolicy(Configuration configuration) {
    boolean none =
        configuration.get(RestartStrategyOptions.RESTART_STRATEGY) == RestartStrategy.NONE;
    this.allowed = none ? 0 : configuration.get(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS);
    this.delay = configuration.get(RestartStrategyOptions.FIXED_DELAY);
  }

  /**
   * Uses one restart. Returns false if none is left or a restart cannot help against this failure.
   */
  boolean another(Failure failure) {
    // The graph contains the location of the lost partition, so another attempt would fail, too.
    cannotHelp = LostPartitionException.caused(failure);
    if (cannotHelp || used >= allowed) {
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

  /** Why the job does not restart after this failure. */
  RestartRefused refusal(Failure failure) {
    RestartRefusal refusal =
        cannotHelp
            ? RestartRefusal.RESULT_LOST
            : allowed == 0 ? RestartRefusal.NO_STRATEGY : RestartRefusal.ATTEMPTS_USED;
    return new RestartRefused(failure.message(), refusal, allowed);
  }
}
