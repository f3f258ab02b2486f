package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;

/**
 * The process totals that the shipped configuration file has. A process that somebody starts
 * without any size should start, so it takes them, too; whoever asks for a derivation is told what
 * is missing.
 */
public final class DefaultProcessSizes {
  static final MemorySize TASK_MANAGER = MemorySize.ofMebi(1728);
  static final MemorySize JOB_MANAGER = MemorySize.ofMebi(1600);

  private DefaultProcessSizes() {}

  /** The configuration with a total for each process that has no size. */
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
