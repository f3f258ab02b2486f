package io.millrace.control.workerpool;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * Whom a {@link WorkerPool} asks for what, how much of it at most, and how it treats workers that
 * fail.
 *
 * @param driver the name of whom it asks
 * @param usual workers that need not be described
 * @param registration how long a started worker may take to register
 * @param recovery how long a worker of an earlier attempt may take to register
 * @param release how long a worker that was told to end may take to be gone
 * @param retry pause after a start that failed
 * @param failures failed starts a minute above which starting pauses
 */
public record WorkerPoolSettings(
    String driver,
    WorkerSpec usual,
    ResourceLimits limits,
    Duration registration,
    Duration recovery,
    Duration release,
    Duration retry,
    double failures) {
  public WorkerPoolSettings {
    Objects.requireNonNull(driver);
    Objects.requireNonNull(usual);
    Objects.requireNonNull(limits);
    Objects.requireNonNull(registration);
    Objects.requireNonNull(recovery);
    Objects.requireNonNull(release);
    Objects.requireNonNull(retry);
  }

  public static WorkerPoolSettings from(Configuration configuration, Startable startable) {
    return new WorkerPoolSettings(
        configuration.get(ResourceManagerOptions.DRIVER),
        startable.spec(),
        ResourceLimits.from(configuration, startable.most(), startable.limit()),
        configuration.get(ResourceManagerOptions.TASK_MANAGER_REGISTRATION_TIMEOUT),
        configuration.get(ResourceManagerOptions.PREVIOUS_WORKER_RECOVERY_TIMEOUT),
        configuration.get(ResourceManagerOptions.TASK_MANAGER_RELEASE_TIMEOUT),
        configuration.get(ResourceManagerOptions.START_WORKER_RETRY_INTERVAL),
        configuration.get(ResourceManagerOptions.START_WORKER_MAX_FAILURE_RATE));
  }
}
