package io.millrace.worker.taskexecutor;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.worker.task.UserClasses;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * What a TaskManager is.
 *
 * @param slots how many equal slots it has
 * @param total what all its slots have together
 * @param metrics what the process uses now, asked for each heartbeat
 * @param classes how the classes of jobs are loaded
 */
public record WorkerSettings(
    WorkerId worker,
    int slots,
    ResourceProfile total,
    Hardware hardware,
    Supplier<ProcessMetrics> metrics,
    UserClasses classes,
    Configuration configuration) {
  public WorkerSettings {
    Objects.requireNonNull(worker);
    Objects.requireNonNull(total);
    Objects.requireNonNull(hardware);
    Objects.requireNonNull(metrics);
    Objects.requireNonNull(classes);
    Objects.requireNonNull(configuration);
    if (slots < 1) {
      throw new IllegalArgumentException("A TaskManager has at least one slot, not " + slots);
    }
  }

  ResourceProfile slotProfile() {
    return total.dividedBy(slots);
  }

  Duration slotTimeout() {
    return configuration.get(Options.WORKER_SLOT_TIMEOUT);
  }

  Duration registrationTimeout() {
    return configuration.get(Options.WORKER_REGISTRATION_TIMEOUT);
  }

  Duration cancellationTimeout() {
    return configuration.get(Options.TASK_CANCELLATION_TIMEOUT);
  }
}
