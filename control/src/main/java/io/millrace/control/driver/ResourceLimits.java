package io.millrace.control.driver;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
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

  /** What is in the way of so many, by the first option that is; nothing where none is. */
  public Optional<String> exceededBy(WorkerTotals there) {
    if (there.workers() > workers) {
      return Optional.of(limit + " allows " + workers);
    }
    if (there.slots() > slots) {
      return Optional.of(ResourceManagerOptions.MAX_SLOT_NUM.key() + " allows " + slots + " slots");
    }
    if (there.total().cpuCores() > cpu + CPU_SLACK) {
      return Optional.of(
          ResourceManagerOptions.MAX_TOTAL_CPU.key() + " allows " + cpu + " cpu cores");
    }
    if (there.total().memory() > memory) {
      return Optional.of(
          ResourceManagerOptions.MAX_TOTAL_MEMORY.key() + " allows " + new MemorySize(memory));
    }
    return Optional.empty();
  }
}
