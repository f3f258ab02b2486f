package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A process is sized by one of several total sizes, and the shipped configuration file sets one. A
 * total on the command line replaces the one of the file; both together would contradict each
 * other.
 */
final class MemoryTotals {
  private static final List<Option<?>> TASK_MANAGER =
      List.of(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, MemoryOptions.TASK_MANAGER_FLINK_MEMORY);
  private static final List<Option<?>> JOB_MANAGER =
      List.of(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, MemoryOptions.JOB_MANAGER_FLINK_MEMORY);

  private MemoryTotals() {}

  /**
   * The options of the file without the totals of the processes whose size the command line sets.
   */
  static Configuration yielding(Configuration file, Configuration commandLine) {
    Map<String, String> kept = new LinkedHashMap<>(file.entries());
    if (TASK_MANAGER.stream().anyMatch(commandLine::contains)
        || (commandLine.contains(MemoryOptions.TASK_HEAP)
            && commandLine.contains(MemoryOptions.MANAGED_MEMORY))) {
      TASK_MANAGER.forEach(total -> kept.remove(total.key()));
    }
    if (JOB_MANAGER.stream().anyMatch(commandLine::contains)
        || commandLine.contains(MemoryOptions.JOB_MANAGER_HEAP)) {
      JOB_MANAGER.forEach(total -> kept.remove(total.key()));
    }
    return new Configuration(kept);
  }
}
