package io.millrace.worker.taskexecutor;

import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.worker.slots.SlotTable;
import io.millrace.worker.task.UserClassLoaders;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The settings of a TaskManager.
 *
 * @param slots the number of equal slots
 * @param total the resources of all slots
 * @param external the external resources that the total counts, by the names of their kinds; fewer
 *     if only their number is known
 * @param metrics the current resource usage of the process, read for each heartbeat
 * @param classes how the classes of jobs are loaded
 * @param tokens the receivers of delegation tokens in this process
 */
public record WorkerSettings(
    WorkerId worker,
    int slots,
    ResourceProfile total,
    Map<String, List<ExternalResourceInfo>> external,
    Hardware hardware,
    Supplier<ProcessMetrics> metrics,
    UserClassLoaders classes,
    DelegationTokens tokens,
    Configuration configuration) {
  public WorkerSettings {
    Objects.requireNonNull(worker);
    Objects.requireNonNull(total);
    external = OrderedCopies.map(external);
    Objects.requireNonNull(hardware);
    Objects.requireNonNull(metrics);
    Objects.requireNonNull(classes);
    Objects.requireNonNull(tokens);
    Objects.requireNonNull(configuration);
    if (slots < 1) {
      throw new IllegalArgumentException("A TaskManager has at least one slot, not " + slots);
    }
  }

  /** A TaskManager without tokens and without details of external resources. */
  public WorkerSettings(
      WorkerId worker,
      int slots,
      ResourceProfile total,
      Hardware hardware,
      Supplier<ProcessMetrics> metrics,
      UserClassLoaders classes,
      Configuration configuration) {
    this(
        worker,
        slots,
        total,
        new LinkedHashMap<>(),
        hardware,
        metrics,
        classes,
        DelegationTokens.NONE,
        configuration);
  }

  ResourceProfile slotProfile() {
    return total.dividedBy(slots);
  }

  /** A slot table with these settings, all slots free. */
  public SlotTable slotTable() {
    return new SlotTable(slots, total, external, slotTimeout());
  }

  Duration slotTimeout() {
    return configuration.get(TaskManagerOptions.SLOT_TIMEOUT);
  }

  Duration registrationTimeout() {
    return configuration.get(TaskManagerOptions.REGISTRATION_TIMEOUT);
  }

  Duration cancellationTimeout() {
    return configuration.get(TaskManagerOptions.TASK_CANCELLATION_TIMEOUT);
  }
}
