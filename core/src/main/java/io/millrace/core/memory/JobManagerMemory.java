package io.millrace.core.memory;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.memory.ProcessMemoryOptions.Jvm;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory of a JobManager process, in bytes.
 *
 * @param limitsDirect whether the JVM enforces the off-heap size for direct memory
 */
public record JobManagerMemory(
    long heap, long offHeap, long jvmMetaspace, long jvmOverhead, boolean limitsDirect) {

  public JobManagerMemory {
    if (heap < 0 || offHeap < 0 || jvmMetaspace < 0 || jvmOverhead < 0) {
      throw new IllegalArgumentException("sizes must be >= 0");
    }
  }

  /**
   * Derives all parts. The heap, the flink total or the process total must be set; the first one
   * that is set determines the others.
   */
  public static JobManagerMemory of(Configuration configuration) {
    ProcessMemoryOptions options = ProcessMemoryOptions.JOB_MANAGER;
    if (configuration.contains(MemoryOptions.JOB_MANAGER_HEAP)) {
      return aroundHeap(configuration);
    }
    if (configuration.contains(options.flink())) {
      DerivedSize flink = DerivedSize.of(configuration, options.flink());
      return inside(configuration, flink, options.around(configuration, flink.bytes()));
    }
    if (configuration.contains(options.process())) {
      Jvm jvm = options.inside(configuration);
      return inside(configuration, options.flinkInside(configuration, jvm), jvm);
    }
    throw DerivedSize.contradiction(
        "The size of the JobManager is not configured. Set "
            + options.process().key()
            + ", "
            + options.flink().key()
            + " or "
            + MemoryOptions.JOB_MANAGER_HEAP.key()
            + ".");
  }

  static boolean isSized(Configuration configuration) {
    return configuration.contains(MemoryOptions.JOB_MANAGER_HEAP)
        || configuration.contains(MemoryOptions.JOB_MANAGER_FLINK_MEMORY)
        || configuration.contains(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY);
  }

  private static JobManagerMemory aroundHeap(Configuration configuration) {
    DerivedSize heap = DerivedSize.of(configuration, MemoryOptions.JOB_MANAGER_HEAP);
    DerivedSize offHeap = DerivedSize.of(configuration, MemoryOptions.JOB_MANAGER_OFF_HEAP);
    if (configuration.contains(MemoryOptions.JOB_MANAGER_FLINK_MEMORY)) {
      DerivedSize flink = DerivedSize.of(configuration, MemoryOptions.JOB_MANAGER_FLINK_MEMORY);
      DerivedSize left =
          new DerivedSize("The rest of " + flink + " after " + heap, flink.minus(heap));
      // Only a configured size must match the rest.
      if (configuration.contains(MemoryOptions.JOB_MANAGER_OFF_HEAP) && !isSame(left, offHeap)) {
        throw DerivedSize.contradiction(
            left + " is not " + offHeap + ". Change one of the three, or leave one unset.");
      }
      offHeap = left;
    }
    Jvm jvm =
        ProcessMemoryOptions.JOB_MANAGER.around(
            configuration, DerivedSize.sum(heap, offHeap).bytes());
    return with(configuration, heap.bytes(), offHeap.bytes(), jvm);
  }

  private static boolean isSame(DerivedSize left, DerivedSize right) {
    return left.bytes() == right.bytes();
  }

  private static JobManagerMemory inside(Configuration configuration, DerivedSize flink, Jvm jvm) {
    DerivedSize offHeap = DerivedSize.of(configuration, MemoryOptions.JOB_MANAGER_OFF_HEAP);
    long heap = flink.minus(offHeap);
    if (heap == 0) {
      throw DerivedSize.contradiction(
          flink + " leaves no heap after " + offHeap + ". Raise the first.");
    }
    return with(configuration, heap, offHeap.bytes(), jvm);
  }

  private static JobManagerMemory with(
      Configuration configuration, long heap, long offHeap, Jvm jvm) {
    return new JobManagerMemory(
        heap,
        offHeap,
        jvm.metaspace(),
        jvm.overhead(),
        configuration.get(MemoryOptions.JOB_MANAGER_DIRECT_LIMIT));
  }

  public long flink() {
    return heap + offHeap;
  }

  public long process() {
    return flink() + jvmMetaspace + jvmOverhead;
  }

  /** The JVM arguments that enforce these sizes. */
  public List<String> jvmArguments() {
    List<String> arguments = new ArrayList<>(List.of("-Xmx" + heap, "-Xms" + heap));
    if (limitsDirect) {
      arguments.add("-XX:MaxDirectMemorySize=" + offHeap);
    }
    arguments.add("-XX:MaxMetaspaceSize=" + jvmMetaspace);
    return arguments;
  }

  /** All sizes by name. */
  public Map<String, Long> byName() {
    Map<String, Long> sizes = new LinkedHashMap<>();
    sizes.put("process", process());
    sizes.put("flink", flink());
    sizes.put("heap", heap);
    sizes.put("off-heap", offHeap);
    sizes.put("jvm-metaspace", jvmMetaspace);
    sizes.put("jvm-overhead", jvmOverhead);
    return sizes;
  }
}
