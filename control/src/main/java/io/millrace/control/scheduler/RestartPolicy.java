package io.millrace.control.scheduler;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.Failure;
import io.millrace.protocol.reason.JobReason.RestartRefusal;
import io.millrace.protocol.reason.JobReason.RestartRefused;
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

  /** Why the job does not restart after this failure. */
  RestartRefused refusal(Failure failure) {
    RestartRefusal refusal =
        futile
            ? RestartRefusal.RESULT_LOST
            : allowed == 0 ? RestartRefusal.NO_STRATEGY : RestartRefusal.ATTEMPTS_USED;
    return new RestartRefused(failure.message(), refusal, allowed);
  }
}
