package io.millrace.control.driver;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResources;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.protocol.reason.SlotReason;
import io.millrace.protocol.reason.SlotReason.ExternalResourcesMissing;
import io.millrace.protocol.reason.SlotReason.MachineTooSmall;
import io.millrace.protocol.reason.SlotReason.ProcessSize;
import java.util.Objects;
import java.util.Optional;

/**
 * Specs of custom workers, each for one slot that does not fit the default spec, and their maximum
 * size.
 *
 * @param configuration the configuration of default workers, whose fractions also hold here
 * @param cpuCores the maximum cores of a worker
 * @param memory the maximum memory of the process of a worker, in bytes
 * @param where what sets the maximum, for example "this machine"
 */
public record CustomWorkerSizes(
    Configuration configuration, double cpuCores, long memory, String where) {
  public CustomWorkerSizes {
    Objects.requireNonNull(configuration);
    Objects.requireNonNull(where);
  }

  /** The smallest worker with one slot of the profile; empty if it exceeds the maximum size. */
  public Optional<WorkerSpec> forSlot(ResourceProfile slot) {
    return worker(slot)
        .filter(
            spec ->
                spec.total().cpuCores() <= cpuCores
                    && processMemory(spec) <= memory
                    && hasExternalResources(slot));
  }

  /** Why {@link #forSlot} is empty for the profile. */
  public SlotReason refusal(ResourceProfile slot) {
    if (!hasExternalResources(slot)) {
      return new ExternalResourcesMissing(
          new ResourceProfile(0, 0, 0, 0, 0, ExternalResources.amounts(configuration)));
    }
    return new MachineTooSmall(
        worker(slot).map(spec -> new ProcessSize(spec.total().cpuCores(), processMemory(spec))),
        where,
        cpuCores,
        memory);
  }

  /** External resources exist only as configured; a larger worker does not have more of them. */
  private boolean hasExternalResources(ResourceProfile slot) {
    return new ResourceProfile(
            slot.cpuCores(),
            slot.taskHeap(),
            slot.taskOffHeap(),
            slot.managed(),
            slot.network(),
            ExternalResources.amounts(configuration))
        .fits(slot);
  }

  /** Profiles do not declare network memory. It gets the configured fraction of the process. */
  private Optional<WorkerSpec> worker(ResourceProfile slot) {
    try {
      return Optional.of(
          new WorkerSpec(
              new ResourceProfile(
                  slot.cpuCores() > 0
                      ? slot.cpuCores()
                      : WorkerSpec.of(configuration).slot().cpuCores(),
                  slot.taskHeap(),
                  slot.taskOffHeap(),
                  slot.managed(),
                  Math.max(slot.network(), TaskManagerMemory.networkFor(configuration, slot)),
                  slot.external()),
              1));
    } catch (MillraceException overflow) {
      return Optional.empty();
    }
  }

  private long processMemory(WorkerSpec spec) {
    try {
      return TaskManagerMemory.of(spec.in(configuration)).process();
    } catch (MillraceException overflow) {
      return Long.MAX_VALUE;
    }
  }
}
