package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;

/**
 * The process totals of the shipped configuration file. A process that is started without any size
 * uses them. The derivation itself rejects a configuration without sizes.
 */
public final class DefaultProcessSizes {
  static final MemorySize TASK_MANAGER = MemorySize.ofMebi(1728);
  static final MemorySize JOB_MANAGER = MemorySize.ofMebi(1600);

  private DefaultProcessSizes() {}

  /** Adds a total for each process that has no size. */
  public static Configuration in(Configuration configuration) {
    Configuration sized = configuration;
    if (!TaskManagerMemory.isSized(sized)) {
      sized = sized.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, TASK_MANAGER);
    }
    return JobManagerMemory.isSized(sized)
        ? sized
        : sized.with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, JOB_MANAGER);
  }
}
