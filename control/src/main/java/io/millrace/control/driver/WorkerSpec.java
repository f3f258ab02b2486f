package io.millrace.control.driver;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResources;
import io.millrace.core.config.Options;
import io.millrace.core.memory.CpuCores;
import io.millrace.core.memory.TaskManagerMemory;
import java.util.Objects;

/**
 * What a worker that is asked for has for its slots. The size of its process follows from it by the
 * memory model.
 *
 * @param total what its slots share
 */
public record WorkerSpec(ResourceProfile total, int slots) {
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
        configuration.get(Options.SLOTS));
  }

  /** What each of its equal slots has. */
  public ResourceProfile slot() {
    return total.dividedBy(slots);
  }
}
