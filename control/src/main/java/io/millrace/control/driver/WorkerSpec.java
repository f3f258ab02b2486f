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
 * The resources that the slots of a requested worker share. The memory model derives the size of
 * the process from it.
 *
 * @param total the resources of all slots together
 */
public record WorkerSpec(ResourceProfile total, int slots) implements Comparable<WorkerSpec> {
  public WorkerSpec {
    Objects.requireNonNull(total);
    if (slots < 1) {
      throw new IllegalArgumentException("A worker has at least one slot, not " + slots);
    }
  }

  /** The spec of the workers that a configuration describes. */
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

  /** The spec of a registered worker, which may have reported no indexed slot. */
  public static WorkerSpec registered(ResourceProfile total, int slots) {
    return new WorkerSpec(total, Math.max(1, slots));
  }

  /** The profile of each of its indexed slots. */
  public ResourceProfile slot() {
    return total.dividedBy(slots);
  }

  /**
   * The given configuration, changed so that {@link #of} returns this spec for it. It is returned
   * unchanged if it already describes this spec.
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
