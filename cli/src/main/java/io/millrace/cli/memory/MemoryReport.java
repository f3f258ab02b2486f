package io.millrace.cli.memory;

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

/** The memory of a TaskManager or JobManager: sizes, JVM arguments and a drawing. */
public record MemoryReport(Map<String, Long> sizes, List<String> jvmArguments, MemoryBox box) {
  public MemoryReport {
    sizes = OrderedCopies.map(sizes);
    jvmArguments = OrderedCopies.list(jvmArguments);
    Objects.requireNonNull(box);
  }

  public static MemoryReport of(String process, Configuration configuration) {
    return switch (process) {
      case "taskmanager" -> taskManager(configuration);
      case "jobmanager" -> jobManager(configuration);
      default ->
          throw new MillraceException(
              ErrorKind.USER,
              "--process must be taskmanager or jobmanager, not '" + process + "'.");
    };
  }

  private static MemoryReport taskManager(Configuration configuration) {
    TaskManagerMemory memory = TaskManagerMemory.of(configuration);
    // Refuses settings with which a TaskManager would not start.
    CpuCores.of(configuration);
    MemoryBox heap =
        MemoryBox.of(
            "JVM heap",
            memory.heap(),
            MemoryBox.of("framework-heap", memory.frameworkHeap()),
            MemoryBox.of("task-heap", memory.taskHeap()));
    MemoryBox direct =
        MemoryBox.of(
            "JVM direct memory",
            memory.direct(),
            MemoryBox.of("framework-off-heap", memory.frameworkOffHeap()),
            MemoryBox.of("task-off-heap", memory.taskOffHeap()),
            MemoryBox.of("network", memory.network()));
    MemoryBox flink =
        MemoryBox.of(
            "flink", memory.flink(), heap, direct, MemoryBox.of("managed", memory.managed()));
    return new MemoryReport(
        memory.byName(),
        memory.jvmArguments(),
        MemoryBox.of(
            "taskmanager process",
            memory.process(),
            flink,
            MemoryBox.of("jvm-metaspace", memory.jvmMetaspace()),
            MemoryBox.of("jvm-overhead", memory.jvmOverhead())));
  }

  private static MemoryReport jobManager(Configuration configuration) {
    JobManagerMemory memory = JobManagerMemory.of(configuration);
    MemoryBox flink =
        MemoryBox.of(
            "flink",
            memory.flink(),
            MemoryBox.of("heap", memory.heap()),
            MemoryBox.of("off-heap", memory.offHeap()));
    return new MemoryReport(
        memory.byName(),
        memory.jvmArguments(),
        MemoryBox.of(
            "jobmanager process",
            memory.process(),
            flink,
            MemoryBox.of("jvm-metaspace", memory.jvmMetaspace()),
            MemoryBox.of("jvm-overhead", memory.jvmOverhead())));
  }
}
