package io.millrace.control.fleet;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link Fleet} treats workers that fail.
 *
 * @param registration how long a started worker may take to register
 * @param recovery how long a worker of an earlier attempt may take to register
 * @param retry pause after a start that failed
 * @param failures failed starts a minute above which starting pauses
 */
public record FleetSettings(
    Duration registration, Duration recovery, Duration retry, double failures) {
  public FleetSettings {
    Objects.requireNonNull(registration);
    Objects.requireNonNull(recovery);
    Objects.requireNonNull(retry);
  }

  public static FleetSettings from(Configuration configuration) {
    return new FleetSettings(
        configuration.get(Options.STARTED_WORKER_TIMEOUT),
        configuration.get(Options.PREVIOUS_WORKER_TIMEOUT),
        configuration.get(Options.START_RETRY_INTERVAL),
        configuration.get(Options.START_FAILURE_RATE));
  }
}
