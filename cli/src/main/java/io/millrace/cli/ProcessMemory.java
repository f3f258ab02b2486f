package io.millrace.cli;

import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.memory.CpuCores;
import io.millrace.core.memory.JobManagerMemory;
import io.millrace.core.memory.TaskManagerMemory;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The memory of either process, for people. */
record ProcessMemory(Map<String, Long> sizes, List<String> jvmArguments, Box box) {
  ProcessMemory {
    sizes = OrderedCopies.map(sizes);
    jvmArguments = OrderedCopies.list(jvmArguments);
    Objects.requireNonNull(box);
  }

  static ProcessMemory of(String process, Configuration configuration) {
    return switch (process) {
      case "taskmanager" -> taskManager(configuration);
      case "jobmanager" -> jobManager(configuration);
      default ->
          throw new MillraceException(
              ErrorKind.USER, "--process is taskmanager or jobmanager, not '" + process + "'.");
    };
  }

  private static ProcessMemory taskManager(Configuration configuration) {
    TaskManagerMemory memory = TaskManagerMemory.of(configuration);
    // A TaskManager that would not start has no memory to show.
    CpuCores.of(configuration);
    Box heap =
        Box.of(
            "JVM heap",
            memory.heap(),
            Box.of("framework-heap", memory.frameworkHeap()),
            Box.of("task-heap", memory.taskHeap()));
    Box direct =
        Box.of(
            "JVM direct memory",
            memory.direct(),
            Box.of("framework-off-heap", memory.frameworkOffHeap()),
            Box.of("task-off-heap", memory.taskOffHeap()),
            Box.of("network", memory.network()));
    Box flink = Box.of("flink", memory.flink(), heap, direct, Box.of("managed", memory.managed()));
    return new ProcessMemory(
        memory.byName(),
        memory.jvmArguments(),
        Box.of(
            "taskmanager process",
            memory.process(),
            flink,
            Box.of("jvm-metaspace", memory.jvmMetaspace()),
            Box.of("jvm-overhead", memory.jvmOverhead())));
  }

  private static ProcessMemory jobManager(Configuration configuration) {
    JobManagerMemory memory = JobManagerMemory.of(configuration);
    Box flink =
        Box.of(
            "flink",
            memory.flink(),
            Box.of("heap", memory.heap()),
            Box.of("off-heap", memory.offHeap()));
    return new ProcessMemory(
        memory.byName(),
        memory.jvmArguments(),
        Box.of(
            "jobmanager process",
            memory.process(),
            flink,
            Box.of("jvm-metaspace", memory.jvmMetaspace()),
            Box.of("jvm-overhead", memory.jvmOverhead())));
  }
}
