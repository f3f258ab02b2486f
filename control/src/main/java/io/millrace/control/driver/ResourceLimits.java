package io.millrace.control.driver;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.protocol.reason.SlotReason.LimitedResource;
import io.millrace.protocol.reason.SlotReason.ResourceLimit;
import java.util.Objects;
import java.util.Optional;

/**
 * How much there may be of workers at a time, of all sizes together.
 *
 * @param limit the option that says how many workers
 * @param memory of their slots, in bytes
 */
public record ResourceLimits(int workers, String limit, int slots, double cpu, long memory) {
  /** What sums of fractions may be off by. */
  private static final double CPU_SLACK = 1e-9;

  public ResourceLimits {
    Objects.requireNonNull(limit);
  }

  /** What the options allow beside a number of workers that somebody else says. */
  public static ResourceLimits from(Configuration configuration, int workers, String limit) {
    return new ResourceLimits(
        workers,
        limit,
        configuration.get(ResourceManagerOptions.MAX_SLOT_NUM),
        configuration.get(ResourceManagerOptions.MAX_TOTAL_CPU),
        configuration.get(ResourceManagerOptions.MAX_TOTAL_MEMORY).bytes());
  }

  public ResourceLimits withWorkers(int most) {
    return new ResourceLimits(most, limit, slots, cpu, memory);
  }

  /** How many more such workers there may be beside those. */
  public int room(WorkerTotals there, WorkerSpec spec) {
    long room = (long) workers - there.workers();
    room = Math.min(room, ((long) slots - there.slots()) / spec.slots());
    if (spec.total().cpuCores() > 0) {
      double left = (cpu - there.total().cpuCores()) / spec.total().cpuCores();
      room = Math.min(room, (long) Math.floor(left + CPU_SLACK));
    }
    if (spec.total().memory() > 0) {
      room = Math.min(room, (memory - there.total().memory()) / spec.total().memory());
    }
    return (int) Math.max(0, room);
  }

  /** The first limit that so many workers exceed; nothing where they exceed none. */
  public Optional<ResourceLimit> exceededBy(WorkerTotals there) {
    if (there.workers() > workers) {
      return Optional.of(new ResourceLimit(limit, LimitedResource.WORKERS, workers));
    }
    if (there.slots() > slots) {
      return Optional.of(
          new ResourceLimit(
              ResourceManagerOptions.MAX_SLOT_NUM.key(), LimitedResource.SLOTS, slots));
    }
    if (there.total().cpuCores() > cpu + CPU_SLACK) {
      return Optional.of(
          new ResourceLimit(
              ResourceManagerOptions.MAX_TOTAL_CPU.key(), LimitedResource.CPU_CORES, cpu));
    }
    if (there.total().memory() > memory) {
      return Optional.of(
          new ResourceLimit(
              ResourceManagerOptions.MAX_TOTAL_MEMORY.key(), LimitedResource.MEMORY, memory));
    }
    return Optional.empty();
  }
}
