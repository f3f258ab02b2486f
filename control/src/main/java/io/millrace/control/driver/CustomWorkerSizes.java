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
 * Workers made to measure for a slot that the usual ones have no room for, and how large they may
 * be at most.
 *
 * @param configuration that of the usual workers, by which also these are divided
 * @param cpuCores that a worker may have
 * @param memory that a worker's process may have, in bytes
 * @param where who has no more than that, such as "this machine"
 */
public record CustomWorkerSizes(
    Configuration configuration, double cpuCores, long memory, String where) {
  public CustomWorkerSizes {
    Objects.requireNonNull(configuration);
    Objects.requireNonNull(where);
  }

  /** The worker that is just large enough for one such slot; nothing where that is too large. */
  public Optional<WorkerSpec> forSlot(ResourceProfile slot) {
    return worker(slot)
        .filter(
            spec ->
                spec.total().cpuCores() <= cpuCores && process(spec) <= memory && isEquipped(slot));
  }

  /** Why there is none for such a slot. */
  public SlotReason refusal(ResourceProfile slot) {
    if (!isEquipped(slot)) {
      return new ExternalResourcesMissing(
          new ResourceProfile(0, 0, 0, 0, 0, ExternalResources.amounts(configuration)));
    }
    return new MachineTooSmall(
        worker(slot).map(spec -> new ProcessSize(spec.total().cpuCores(), process(spec))),
        where,
        cpuCores,
        memory);
  }

  /** Others are not found on the machine by giving a worker more of them on paper. */
  private boolean isEquipped(ResourceProfile slot) {
    return new ResourceProfile(
            slot.cpuCores(),
            slot.taskHeap(),
            slot.taskOffHeap(),
            slot.managed(),
            slot.network(),
            ExternalResources.amounts(configuration))
        .fits(slot);
  }

  /** Network memory is shared and not declared: it has its usual share of the process. */
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
    } catch (MillraceException tooLargeToCount) {
      return Optional.empty();
    }
  }

  private long process(WorkerSpec spec) {
    try {
      return TaskManagerMemory.of(spec.in(configuration)).process();
    } catch (MillraceException tooLargeToCount) {
      return Long.MAX_VALUE;
    }
  }
}
