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
 * What a TaskManager is.
 *
 * @param slots how many equal slots it has
 * @param total what all its slots have together
 * @param external the external resources that the total counts, by the names of their kinds; fewer
 *     where nothing is known of some but their number
 * @param metrics what the process uses now, asked for each heartbeat
 * @param classes how the classes of jobs are loaded
 * @param tokens who takes delegation tokens in this process
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

  /** A TaskManager without tokens, and without external resources that anything is known of. */
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

  /** Slots as described here, all free. */
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
