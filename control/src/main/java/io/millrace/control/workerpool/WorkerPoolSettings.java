package io.millrace.control.workerpool;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * Limits, time-outs and retries of a {@link WorkerPool}.
 *
 * @param driver the name of the driver, for reasons and events
 * @param defaultSpec the spec that reasons and events need not describe
 * @param registration time-out for the registration of a started worker
 * @param recovery time-out for the registration of a worker of an earlier attempt
 * @param release time-out for the end of a released worker
 * @param retry pause after a failed start
 * @param failures failed starts per minute above which starting pauses
 */
public record WorkerPoolSettings(
    String driver,
    WorkerSpec defaultSpec,
    ResourceLimits limits,
    Duration registration,
    Duration recovery,
    Duration release,
    Duration retry,
    double failures) {
  public WorkerPoolSettings {
    Objects.requireNonNull(driver);
    Objects.requireNonNull(defaultSpec);
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
