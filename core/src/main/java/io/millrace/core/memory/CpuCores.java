package io.millrace.core.memory;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TaskManagerOptions;

/** The processor cores that the slots of a TaskManager share on paper. */
public final class CpuCores {
  private CpuCores() {}

  /** As configured, else one a slot. */
  public static double of(Configuration configuration) {
    return configuration
        .find(TaskManagerOptions.CPU_CORES)
        .orElseGet(() -> configuration.get(TaskManagerOptions.NUM_TASK_SLOTS).doubleValue());
  }
}
