package io.millrace.core.memory;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;

/** The processor cores that the slots of a TaskManager share on paper. */
public final class CpuCores {
  private CpuCores() {}

  /** As configured, else one a slot. */
  public static double of(Configuration configuration) {
    return configuration
        .find(Options.CPU_CORES)
        .orElseGet(() -> configuration.get(Options.SLOTS).doubleValue());
  }
}
