package io.millrace.control.driver;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.ExternalResources;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.memory.CpuCores;
import io.millrace.core.memory.TaskManagerMemory;
import java.util.Map;
import java.util.Objects;

/**
 * What a worker that is asked for has for its slots. The size of its process follows from it by the
 * memory model.
 *
 * @param total what its slots share
 */
public record WorkerSpec(ResourceProfile total, int slots) implements Comparable<WorkerSpec> {
  public WorkerSpec {
    Objects.requireNonNull(total);
    if (slots < 1) {
      throw new IllegalArgumentException("A worker has at least one slot, not " + slots);
    }
  }

  /** The workers that a configuration describes. */
  public static WorkerSpec of(Configuration configuration) {
    TaskManagerMemory memory = TaskManagerMemory.of(configuration);
    return new WorkerSpec(
        new ResourceProfile(
            CpuCores.of(configuration),
            memory.taskHeap(),
            memory.taskOffHeap(),
            memory.managed(),
            memory.network(),
            ExternalResources.amounts(configuration)),
        configuration.get(TaskManagerOptions.NUM_TASK_SLOTS));
  }

  /** Of a worker that has come, which may have no equal slots at all. */
  public static WorkerSpec registered(ResourceProfile total, int slots) {
    return new WorkerSpec(total, Math.max(1, slots));
  }

  /** What each of its equal slots has. */
  public ResourceProfile slot() {
    return total.dividedBy(slots);
  }

  /**
   * The configuration of such a worker where others are as given here: {@link #of} it is this
   * again. What the usual workers are needs no change.
   */
  public Configuration in(Configuration configuration) {
    if (of(configuration).equals(this)) {
      return configuration;
    }
    Configuration sized = TaskManagerMemory.optionsFor(configuration, total);
    for (Map.Entry<String, Long> external : total.external().entrySet()) {
      sized =
          sized.with(
              ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named(external.getKey()),
              external.getValue());
    }
    return sized
        .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, total.external().keySet())
        .with(TaskManagerOptions.NUM_TASK_SLOTS, slots)
        .with(TaskManagerOptions.CPU_CORES, total.cpuCores());
  }

  @Override
  public int compareTo(WorkerSpec other) {
    int order = total.compareTo(other.total);
    return order != 0 ? order : Integer.compare(slots, other.slots);
  }
}
