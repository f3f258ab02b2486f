package io.millrace.control.driver;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.protocol.reason.SlotReason.LimitedResource;
import io.millrace.protocol.reason.SlotReason.ResourceLimit;
import java.util.Objects;
import java.util.Optional;

/**
 * The maximum number and resources of workers at a time, of all specs together.
 *
 * @param limit the key of the option that limits the number of workers
 * @param cpu the cores of all slots
 * @param memory the memory of all slots, in bytes
 */
public record ResourceLimits(int workers, String limit, int slots, double cpu, long memory) {
  /** Tolerance for rounding errors in sums of fractions. */
  private static final double CPU_SLACK = 1e-9;

  public ResourceLimits {
    Objects.requireNonNull(limit);
  }

  /** The limits of the configuration, together with the limit that the driver sets. */
  public static ResourceLimits from(Configuration configuration, int workers, String limit) {
    return new ResourceLimits(
        workers,
        limit,
        configuration.get(ResourceManagerOptions.MAX_SLOT_NUM),
        configuration.get(ResourceManagerOptions.MAX_TOTAL_CPU),
        configuration.get(ResourceManagerOptions.MAX_TOTAL_MEMORY).bytes());
  }

  public ResourceLimits withWorkers(int maximum) {
    return new ResourceLimits(maximum, limit, slots, cpu, memory);
  }

  /** How many workers of the spec the limits allow beside the present ones. */
  public int room(WorkerTotals present, WorkerSpec spec) {
    long room = (long) workers - present.workers();
    room = Math.min(room, ((long) slots - present.slots()) / spec.slots());
    if (spec.total().cpuCores() > 0) {
      double left = (cpu - present.total().cpuCores()) / spec.total().cpuCores();
      room = Math.min(room, (long) Math.floor(left + CPU_SLACK));
    }
    if (spec.total().memory() > 0) {
      room = Math.min(room, (memory - present.total().memory()) / spec.total().memory());
    }
    return (int) Math.max(0, room);
  }

  /** The first limit that the workers exceed; empty if they exceed none. */
  public Optional<ResourceLimit> exceededBy(WorkerTotals present) {
    if (present.workers() > workers) {
      return Optional.of(new ResourceLimit(limit, LimitedResource.WORKERS, workers));
    }
    if (present.slots() > slots) {
      return Optional.of(
          new ResourceLimit(
              ResourceManagerOptions.MAX_SLOT_NUM.key(), LimitedResource.SLOTS, slots));
    }
    if (present.total().cpuCores() > cpu + CPU_SLACK) {
      return Optional.of(
          new ResourceLimit(
              ResourceManagerOptions.MAX_TOTAL_CPU.key(), LimitedResource.CPU_CORES, cpu));
    }
    if (present.total().memory() > memory) {
      return Optional.of(
          new ResourceLimit(
              ResourceManagerOptions.MAX_TOTAL_MEMORY.key(), LimitedResource.MEMORY, memory));
    }
    return Optional.empty();
  }
}
