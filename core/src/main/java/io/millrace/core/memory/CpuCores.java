package io.millrace.core.memory;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;

/** The processor cores that the slots of a TaskManager share on paper. */
public final class CpuCores {
  private CpuCores() {}

  /** As configured, else one a slot. */
  public static double of(Configuration configuration) {
    double cores =
        configuration
            .find(Options.CPU_CORES)
            .orElseGet(() -> configuration.get(Options.SLOTS).doubleValue());
    if (!(cores > 0) || Double.isInfinite(cores)) {
      throw Size.contradiction(
          (configuration.contains(Options.CPU_CORES) ? Options.CPU_CORES : Options.SLOTS).key()
              + " is "
              + (configuration.contains(Options.CPU_CORES)
                  ? String.valueOf(cores)
                  : String.valueOf((long) cores))
              + ", but a TaskManager needs more than 0.");
    }
    return cores;
  }
}
