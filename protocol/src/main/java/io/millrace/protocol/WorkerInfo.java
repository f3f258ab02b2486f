package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.rpc.Address;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
      List<Collections> garbageCollectors,
      JvmUse jvm) {
    public static final ProcessMetrics NONE =
        new ProcessMetrics(
            0, 0, 0, 0, 0, -1, 0, 0, 0, NetworkUse.NONE, java.util.Collections.emptyList());

    /** Of a process whose JVM has told only its memory. */
    public ProcessMetrics(
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
      this(
          heapUsed,
          heapCommitted,
          heapMax,
          nonHeapUsed,
          nonHeapCommitted,
          nonHeapMax,
          directCount,
          directUsed,
          directMax,
          network,
          garbageCollectors,
          JvmUse.NONE);
    }

    public ProcessMetrics {
      Objects.requireNonNull(network);
      garbageCollectors = OrderedCopies.list(garbageCollectors);
      Objects.requireNonNull(jvm);
    }

    /** The metrics of the process with Flink's names. */
    public Map<String, Number> named() {
      Map<String, Number> named = new LinkedHashMap<>();
      named.put("Status.JVM.CPU.Load", jvm.cpuLoad());
      named.put("Status.JVM.CPU.Time", jvm.cpuNanos());
      memory(named, "Heap", heapUsed, heapCommitted, heapMax);
      memory(named, "NonHeap", nonHeapUsed, nonHeapCommitted, nonHeapMax);
      memory(named, "Metaspace", jvm.metaspaceUsed(), jvm.metaspaceCommitted(), jvm.metaspaceMax());
      buffers(named, "Direct", directCount, directUsed, directMax);
      buffers(named, "Mapped", jvm.mappedCount(), jvm.mappedUsed(), jvm.mappedMax());
      named.put("Status.JVM.Threads.Count", jvm.threads());
      named.put("Status.JVM.ClassLoader.ClassesLoaded", jvm.classesLoaded());
      named.put("Status.JVM.ClassLoader.ClassesUnloaded", jvm.classesUnloaded());
      long count = 0;
      long millis = 0;
      for (Collections collector : garbageCollectors) {
        collector(named, collector.name(), collector.count(), collector.millis());
        count += collector.count();
        millis += collector.millis();
      }
      collector(named, "All", count, millis);
      return named;
    }

    /** The metrics of the process of a TaskManager with Flink's names. */
    public Map<String, Number> namedOfTaskManager() {
      Map<String, Number> named = named();
      String shuffle = "Status.Shuffle.Netty.";
      long used = (long) network.buffers() - network.free();
      named.put(shuffle + "TotalMemorySegments", network.buffers());
      named.put(shuffle + "AvailableMemorySegments", network.free());
      named.put(shuffle + "UsedMemorySegments", used);
      named.put(shuffle + "TotalMemory", (long) network.buffers() * network.bytesEach());
      named.put(shuffle + "AvailableMemory", (long) network.free() * network.bytesEach());
      named.put(shuffle + "UsedMemory", used * network.bytesEach());
      return named;
    }

    private static void memory(
        Map<String, Number> named, String kind, long used, long committed, long max) {
      named.put("Status.JVM.Memory." + kind + ".Used", used);
      named.put("Status.JVM.Memory." + kind + ".Committed", committed);
      named.put("Status.JVM.Memory." + kind + ".Max", max);
    }

    private static void buffers(
        Map<String, Number> named, String kind, long count, long used, long capacity) {
      named.put("Status.JVM.Memory." + kind + ".Count", count);
      named.put("Status.JVM.Memory." + kind + ".MemoryUsed", used);
      named.put("Status.JVM.Memory." + kind + ".TotalCapacity", capacity);
    }

    private static void collector(Map<String, Number> named, String name, long count, long millis) {
      named.put("Status.JVM.GarbageCollector." + name + ".Count", count);
      named.put("Status.JVM.GarbageCollector." + name + ".Time", millis);
    }
  }

  /**
   * What a JVM uses besides heap and direct memory. Memory in bytes.
   *
   * @param cpuLoad the recent share of all processors of the machine, from 0 to 1
   * @param cpuNanos the time on processors since the start
   * @param metaspaceMax -1 if it is not bounded
   */
  public record JvmUse(
      double cpuLoad,
      long cpuNanos,
      int threads,
      long classesLoaded,
      long classesUnloaded,
      long mappedCount,
      long mappedUsed,
      long mappedMax,
      long metaspaceUsed,
      long metaspaceCommitted,
      long metaspaceMax) {
    public static final JvmUse NONE = new JvmUse(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1);
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
