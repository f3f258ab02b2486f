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
 * What the ResourceManager knows of a TaskManager, for people.
 *
 * @param total what its slots can have together
 * @param free what no slot has taken of that
 * @param slots how many equal slots it has
 * @param freeSlots how many of them can still be had: carved slots take from the same total
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

  /** A slot that a job has. */
  public record SlotInUse(JobId job, AllocationId allocation, ResourceProfile profile) {
    public SlotInUse {
      Objects.requireNonNull(job);
      Objects.requireNonNull(allocation);
      Objects.requireNonNull(profile);
    }
  }

  /**
   * The machine a TaskManager runs on. Memory in bytes.
   *
   * @param memory how the process divides its memory; nothing where it shares a process with others
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

  /** What a TaskManager process uses now. Memory in bytes. */
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
   * The buffers for records from and to other TaskManagers.
   *
   * @param free how many of them no task has reserved
   */
  public record NetworkUse(int bytesEach, int buffers, int free) {
    public static final NetworkUse NONE = new NetworkUse(0, 0, 0);

    public NetworkUse {
      if (bytesEach < 0 || free < 0 || free > buffers) {
        throw new IllegalArgumentException(free + " of " + buffers + " network buffers are free");
      }
    }
  }

  /** What one garbage collector has done. */
  public record Collections(String name, long count, long millis) {
    public Collections {
      Objects.requireNonNull(name);
    }
  }
}
