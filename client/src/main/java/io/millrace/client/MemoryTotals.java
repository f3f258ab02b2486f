package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A process may be sized by one of several totals, and the file always has one. Who gives another
 * on the command line means that one instead, not both.
 */
final class MemoryTotals {
  private static final List<Option<?>> TASK_MANAGER =
      List.of(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, MemoryOptions.TASK_MANAGER_FLINK_MEMORY);
  private static final List<Option<?>> JOB_MANAGER =
      List.of(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, MemoryOptions.JOB_MANAGER_FLINK_MEMORY);

  private MemoryTotals() {}

  /** The file's options without the totals of each process that the command line sizes. */
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
