package io.millrace.core.memory;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TaskManagerOptions;

/** The CPU cores that the slots of a TaskManager share in resource profiles. */
public final class CpuCores {
  private CpuCores() {}

  /** The configured number; one per slot by default. */
  public static double of(Configuration configuration) {
    return configuration
        .find(TaskManagerOptions.CPU_CORES)
        .orElseGet(() -> configuration.get(TaskManagerOptions.NUM_TASK_SLOTS).doubleValue());
  }
}
