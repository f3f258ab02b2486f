package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.rpc.Address;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A TaskManager as the ResourceManager sees it, for display.
 *
 * @param total the resources of all its slots
 * @param free the part of the total that no slot occupies
 * @param slots the number of equal slots
 * @param freeSlots the number of equal slots that can still be allocated: carved slots use the same
 *     total
 */
public record WorkerInfo(
    WorkerId worker,
    Address address,
    String dataAddress,
    long registeredAt,
    long lastHeartbeatAt,
    Hardware hardware,
    ResourceProfile total,
    ResourceProfile free,
    int slots,
    int freeSlots,
    List<SlotInUse> slotsInUse,
    ProcessMetrics metrics) {

  public WorkerInfo {
    Objects.requireNonNull(worker);
    Objects.requireNonNull(address);
    Objects.requireNonNull(dataAddress);
    Objects.requireNonNull(hardware);
    Objects.requireNonNull(total);
    Objects.requireNonNull(free);
    slotsInUse = OrderedCopies.list(slotsInUse);
    Objects.requireNonNull(metrics);
  }

  /** An allocated slot. */
  public record SlotInUse(JobId job, AllocationId allocation, ResourceProfile profile) {
    public SlotInUse {
      Objects.requireNonNull(job);
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(profile);
    }
  }

  /**
   * The machine of a TaskManager. Memory in bytes.
   *
   * @param memory the memory model of the process; empty if the TaskManager shares its process with
   *     others
   */
  public record Hardware(
      int cpuCores,
      long physicalMemory,
      long heap,
      long managed,
      Optional<TaskManagerMemory> memory) {
    public Hardware {
      Objects.requireNonNull(memory);
    }

    public Hardware(int cpuCores, long physicalMemory, long heap, long managed) {
      this(cpuCores, physicalMemory, heap, managed, Optional.empty());
    }
  }

  /** The current resource usage of a TaskManager process. Memory in bytes. */
  public record ProcessMetrics(
      long heapUsed,
      long heapCommitted,
      long heapMax,
      long nonHeapUsed,
      long nonHeapCommitted,
      long nonHeapMax,
      long directCount,
      long directUsed,
      long directMax,
      NetworkUse network,
      List<Collections> garbageCollectors) {
    public static final ProcessMetrics NONE =
        new ProcessMetrics(
            0, 0, 0, 0, 0, -1, 0, 0, 0, NetworkUse.NONE, java.util.Collections.emptyList());

    public ProcessMetrics {
      Objects.requireNonNull(network);
      garbageCollectors = OrderedCopies.list(garbageCollectors);
    }
  }

  /**
   * The network buffers of a TaskManager.
   *
   * @param free the number of buffers that no task has reserved
   */
  public record NetworkUse(int bytesEach, int buffers, int free) {
    public static final NetworkUse NONE = new NetworkUse(0, 0, 0);

    public NetworkUse {
      if (bytesEach < 0 || free < 0 || free > buffers) {
        throw new IllegalArgumentException(free + " of " + buffers + " network buffers are free");
      }
    }
  }

  /** The totals of one garbage collector. */
  public record Collections(String name, long count, long millis) {
    public Collections {
      Objects.requireNonNull(name);
    }
  }
}
