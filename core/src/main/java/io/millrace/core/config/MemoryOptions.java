package io.millrace.core.config;

import io.millrace.core.MemorySize;

/** The options about the memory of processes and how it is divided. */
public final class MemoryOptions {
  public static final Option<MemorySize> TASK_MANAGER_PROCESS_MEMORY =
      Option.memory(
              "taskmanager.memory.process.size",
              "All memory of a TaskManager process: flink.size, JVM metaspace and JVM overhead together.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_MANAGER_FLINK_MEMORY =
      Option.memory(
              "taskmanager.memory.flink.size",
              "Memory of a TaskManager without what the JVM itself takes: heaps, off-heap, network and managed memory together.")
          .atLeast("0b");
  public static final Option<MemorySize> FRAMEWORK_HEAP =
      Option.memory(
              "taskmanager.memory.framework.heap.size",
              "128mb",
              "Heap the TaskManager itself is given.")
          .atLeast("0b");
  public static final Option<MemorySize> FRAMEWORK_OFF_HEAP =
      Option.memory(
              "taskmanager.memory.framework.off-heap.size",
              "128mb",
              "Direct and native memory the TaskManager itself is given.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_HEAP =
      Option.memory(
              "taskmanager.memory.task.heap.size",
              "Heap for the functions of jobs; what the other parts leave where unset.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_OFF_HEAP =
      Option.memory(
              "taskmanager.memory.task.off-heap.size",
              "0b",
              "Direct and native memory for the functions of jobs.")
          .atLeast("0b");
  public static final Option<MemorySize> NETWORK_MIN =
      Option.memory(
              "taskmanager.memory.network.min",
              "64mb",
              "Least memory for records between TaskManagers.")
          .atLeast("0b");
  public static final Option<MemorySize> NETWORK_MAX =
      Option.memory(
              "taskmanager.memory.network.max",
              "9223372036854775807b",
              "Most memory for records between TaskManagers.")
          .atLeast("0b");
  public static final Option<Float> NETWORK_FRACTION =
      Option.fraction(
              "taskmanager.memory.network.fraction",
              0.1f,
              "Part of flink.size for records between TaskManagers, within network.min and network.max.")
          .atLeast(0)
          .lessThan(1);
  public static final Option<MemorySize> SEGMENT_SIZE =
      Option.memory(
              "taskmanager.memory.segment-size",
              "32kb",
              "Size of each of the buffers that the network memory is divided into.")
          .between("1kb", "16mb");
  public static final Option<MemorySize> MANAGED_MEMORY =
      Option.memory(
              "taskmanager.memory.managed.size",
              "Memory for state and sorting; managed.fraction decides where unset.")
          .atLeast("0b");
  public static final Option<Float> MANAGED_FRACTION =
      Option.fraction(
              "taskmanager.memory.managed.fraction",
              0.4f,
              "Part of flink.size for state and sorting where managed.size is unset.")
          .atLeast(0)
          .lessThan(1);
  public static final Option<MemorySize> TASK_MANAGER_METASPACE =
      Option.memory(
              "taskmanager.memory.jvm-metaspace.size",
              "256mb",
              "Memory for loaded classes of a TaskManager.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_MANAGER_OVERHEAD_MIN =
      Option.memory(
              "taskmanager.memory.jvm-overhead.min",
              "192mb",
              "Least memory for stacks, compiled code and the like of a TaskManager.")
          .atLeast("0b");
  public static final Option<MemorySize> TASK_MANAGER_OVERHEAD_MAX =
      Option.memory(
              "taskmanager.memory.jvm-overhead.max",
              "1gb",
              "Most memory for stacks, compiled code and the like of a TaskManager.")
          .atLeast("0b");
  public static final Option<Float> TASK_MANAGER_OVERHEAD_FRACTION =
      Option.fraction(
              "taskmanager.memory.jvm-overhead.fraction",
              0.1f,
              "Part of process.size for stacks, compiled code and the like, within jvm-overhead.min and jvm-overhead.max.")
          .atLeast(0)
          .lessThan(1);
  public static final Option<MemorySize> JOB_MANAGER_PROCESS_MEMORY =
      Option.memory(
              "jobmanager.memory.process.size",
              "All memory of a JobManager process: flink.size, JVM metaspace and JVM overhead together.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_FLINK_MEMORY =
      Option.memory(
              "jobmanager.memory.flink.size",
              "Memory of a JobManager without what the JVM itself takes: heap and off-heap together.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_HEAP =
      Option.memory(
              "jobmanager.memory.heap.size",
              "Heap of the JobManager; what off-heap.size leaves where unset.")
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
          "Whether the JVM of the JobManager enforces off-heap.size for direct memory.");
  public static final Option<MemorySize> JOB_MANAGER_METASPACE =
      Option.memory(
              "jobmanager.memory.jvm-metaspace.size",
              "256mb",
              "Memory for loaded classes of a JobManager.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_OVERHEAD_MIN =
      Option.memory(
              "jobmanager.memory.jvm-overhead.min",
              "192mb",
              "Least memory for stacks, compiled code and the like of a JobManager.")
          .atLeast("0b");
  public static final Option<MemorySize> JOB_MANAGER_OVERHEAD_MAX =
      Option.memory(
              "jobmanager.memory.jvm-overhead.max",
              "1gb",
              "Most memory for stacks, compiled code and the like of a JobManager.")
          .atLeast("0b");
  public static final Option<Float> JOB_MANAGER_OVERHEAD_FRACTION =
      Option.fraction(
              "jobmanager.memory.jvm-overhead.fraction",
              0.1f,
              "Part of process.size for stacks, compiled code and the like, within jvm-overhead.min and jvm-overhead.max.")
          .atLeast(0)
          .lessThan(1);

  private MemoryOptions() {}
}
