package io.millrace.core.config;

import io.millrace.core.MemorySize;

/** Options of the memory of processes. */
public final class MemoryOptions {
  public static final Option<MemorySize> TASK_MANAGER_PROCESS_MEMORY =
      Option.memory(
              "taskmanager.memory.process.size",
              "Total memory of a TaskManager process: flink.size, JVM metaspace and"
                  + " JVM overhead.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_MANAGER_FLINK_MEMORY =
      Option.memory(
              "taskmanager.memory.flink.size",
              "Memory of a TaskManager without JVM metaspace and overhead: heap,"
                  + " off-heap, network and managed memory.")
          .atLeast("0b");
  public static final Option<MemorySize> FRAMEWORK_HEAP =
      Option.memory(
              "taskmanager.memory.framework.heap.size",
              "128mb",
              "Heap of the TaskManager framework.")
          .atLeast("0b");
  public static final Option<MemorySize> FRAMEWORK_OFF_HEAP =
      Option.memory(
              "taskmanager.memory.framework.off-heap.size",
              "128mb",
              "Direct and native memory of the TaskManager framework.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_HEAP =
      Option.memory(
              "taskmanager.memory.task.heap.size",
              "Heap for user functions; the remaining memory by default.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_OFF_HEAP =
      Option.memory(
              "taskmanager.memory.task.off-heap.size",
              "0b",
              "Direct and native memory for user functions.")
          .atLeast("0b");
  public static final Option<MemorySize> NETWORK_MIN =
      Option.memory(
              "taskmanager.memory.network.min",
              "64mb",
              "Minimum network memory for the exchange of records between" + " TaskManagers.")
          .atLeast("0b");
  public static final Option<MemorySize> NETWORK_MAX =
      Option.memory(
              "taskmanager.memory.network.max",
              "9223372036854775807b",
              "Maximum network memory for the exchange of records between" + " TaskManagers.")
          .atLeast("0b");
  public static final Option<Float> NETWORK_FRACTION =
      Option.fraction(
              "taskmanager.memory.network.fraction",
              0.1f,
              "Fraction of flink.size for network memory, limited by network.min and"
                  + " network.max.")
          .atLeast(0)
          .lessThan(1);
  public static final Option<MemorySize> SEGMENT_SIZE =
      Option.memory("taskmanager.memory.segment-size", "32kb", "Size of a network buffer.")
          .between("1kb", "16mb");
  public static final Option<MemorySize> MANAGED_MEMORY =
      Option.memory(
              "taskmanager.memory.managed.size",
              "Memory for state and sorting; derived from managed.fraction by" + " default.")
          .atLeast("0b");
  public static final Option<Float> MANAGED_FRACTION =
      Option.fraction(
              "taskmanager.memory.managed.fraction",
              0.4f,
              "Fraction of flink.size for managed memory if managed.size is not set.")
          .atLeast(0)
          .lessThan(1);
  public static final Option<MemorySize> TASK_MANAGER_METASPACE =
      Option.memory(
              "taskmanager.memory.jvm-metaspace.size",
              "256mb",
              "Size of the JVM metaspace of a TaskManager.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_MANAGER_OVERHEAD_MIN =
      Option.memory(
              "taskmanager.memory.jvm-overhead.min",
              "192mb",
              "Minimum JVM overhead of a TaskManager: stacks, compiled code and other"
                  + " native memory.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_MANAGER_OVERHEAD_MAX =
      Option.memory(
              "taskmanager.memory.jvm-overhead.max",
              "1gb",
              "Maximum JVM overhead of a TaskManager: stacks, compiled code and other"
                  + " native memory.")
          .atLeast("0b");
  public static final Option<Float> TASK_MANAGER_OVERHEAD_FRACTION =
      Option.fraction(
              "taskmanager.memory.jvm-overhead.fraction",
              0.1f,
              "Fraction of process.size for JVM overhead, limited by jvm-overhead.min"
                  + " and jvm-overhead.max.")
          .atLeast(0)
          .lessThan(1);
  public static final Option<MemorySize> JOB_MANAGER_PROCESS_MEMORY =
      Option.memory(
              "jobmanager.memory.process.size",
              "Total memory of a JobManager process: flink.size, JVM metaspace and"
                  + " JVM overhead.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_FLINK_MEMORY =
      Option.memory(
              "jobmanager.memory.flink.size",
              "Memory of a JobManager without JVM metaspace and overhead: heap and"
                  + " off-heap memory.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_HEAP =
      Option.memory(
              "jobmanager.memory.heap.size",
              "Heap of the JobManager; the rest of flink.size after off-heap.size by" + " default.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_OFF_HEAP =
      Option.memory(
              "jobmanager.memory.off-heap.size",
              "128mb",
              "Direct and native memory of the JobManager.")
          .atLeast("0b");
  public static final Option<Boolean> JOB_MANAGER_DIRECT_LIMIT =
      Option.flag(
          "jobmanager.memory.enable-jvm-direct-memory-limit",
          false,
          "Whether the JVM of the JobManager limits direct memory to off-heap.size.");
  public static final Option<MemorySize> JOB_MANAGER_METASPACE =
      Option.memory(
              "jobmanager.memory.jvm-metaspace.size",
              "256mb",
              "Size of the JVM metaspace of a JobManager.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_OVERHEAD_MIN =
      Option.memory(
              "jobmanager.memory.jvm-overhead.min",
              "192mb",
              "Minimum JVM overhead of a JobManager: stacks, compiled code and other"
                  + " native memory.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_OVERHEAD_MAX =
      Option.memory(
              "jobmanager.memory.jvm-overhead.max",
              "1gb",
              "Maximum JVM overhead of a JobManager: stacks, compiled code and other"
                  + " native memory.")
          .atLeast("0b");
  public static final Option<Float> JOB_MANAGER_OVERHEAD_FRACTION =
      Option.fraction(
              "jobmanager.memory.jvm-overhead.fraction",
              0.1f,
              "Fraction of process.size for JVM overhead, limited by jvm-overhead.min"
                  + " and jvm-overhead.max.")
          .atLeast(0)
          .lessThan(1);

  private MemoryOptions() {}
}
