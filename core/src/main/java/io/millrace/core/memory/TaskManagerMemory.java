package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.memory.ProcessMemoryOptions.Jvm;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The memory of a TaskManager process, in bytes. */
public record TaskManagerMemory(
    long frameworkHeap,
    long frameworkOffHeap,
    long taskHeap,
    long taskOffHeap,
    long network,
    long managed,
    long jvmMetaspace,
    long jvmOverhead) {

  public TaskManagerMemory {
    if (frameworkHeap < 0
        || frameworkOffHeap < 0
        || taskHeap < 0
        || taskOffHeap < 0
        || network < 0
        || managed < 0
        || jvmMetaspace < 0
        || jvmOverhead < 0) {
      throw new IllegalArgumentException("sizes must be >= 0");
    }
  }

  /**
   * Derives all parts. Task heap and managed memory, the flink total or the process total must be
   * set; the first one that is set determines the others.
   */
  public static TaskManagerMemory of(Configuration configuration) {
    ProcessMemoryOptions options = ProcessMemoryOptions.TASK_MANAGER;
    Parts parts = new Parts(configuration);
    if (isSizedByParts(configuration)) {
      return parts.fromParts();
    }
    if (configuration.contains(options.flink())) {
      DerivedSize flink = DerivedSize.of(configuration, options.flink());
      return parts.inside(flink, options.around(configuration, flink.bytes()));
    }
    if (configuration.contains(options.process())) {
      Jvm jvm = options.inside(configuration);
      return parts.inside(options.flinkInside(configuration, jvm), jvm);
    }
    throw DerivedSize.contradiction(
        "The size of the TaskManager is not configured. Set "
            + options.process().key()
            + ", "
            + options.flink().key()
            + ", or both "
            + MemoryOptions.TASK_HEAP.key()
            + " and "
            + MemoryOptions.MANAGED_MEMORY.key()
            + ".");
  }

  /**
   * The options of a process whose slots share these parts. The totals follow from the parts and
   * from the other options of this configuration. Only memory is considered.
   */
  public static Configuration optionsFor(Configuration configuration, ResourceProfile slots) {
    return sizedByParts(configuration, slots)
        .with(MemoryOptions.NETWORK_MIN, new MemorySize(slots.network()))
        .with(MemoryOptions.NETWORK_MAX, new MemorySize(slots.network()));
  }

  /** The network memory that its fraction gives a process whose slots have these other parts. */
  public static long networkFor(Configuration configuration, ResourceProfile slots) {
    return of(sizedByParts(configuration, slots)).network();
  }

  private static Configuration sizedByParts(Configuration configuration, ResourceProfile slots) {
    Map<String, String> parts = new LinkedHashMap<>(configuration.entries());
    parts.remove(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY.key());
    parts.remove(MemoryOptions.TASK_MANAGER_FLINK_MEMORY.key());
    return new Configuration(parts)
        .with(MemoryOptions.TASK_HEAP, new MemorySize(slots.taskHeap()))
        .with(MemoryOptions.TASK_OFF_HEAP, new MemorySize(slots.taskOffHeap()))
        .with(MemoryOptions.MANAGED_MEMORY, new MemorySize(slots.managed()));
  }

  private static boolean isSizedByParts(Configuration configuration) {
    return configuration.contains(MemoryOptions.TASK_HEAP)
        && configuration.contains(MemoryOptions.MANAGED_MEMORY);
  }

  static boolean isSized(Configuration configuration) {
    return isSizedByParts(configuration)
        || configuration.contains(MemoryOptions.TASK_MANAGER_FLINK_MEMORY)
        || configuration.contains(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY);
  }

  /** The total heap of the JVM. */
  public long heap() {
    return frameworkHeap + taskHeap;
  }

  /** The direct memory of the JVM; does not include managed memory. */
  public long direct() {
    return frameworkOffHeap + taskOffHeap + network;
  }

  public long flink() {
    return heap() + direct() + managed;
  }

  public long process() {
    return flink() + jvmMetaspace + jvmOverhead;
  }

  /** The JVM arguments that enforce these sizes. */
  public List<String> jvmArguments() {
    return List.of(
        "-Xmx" + heap(),
        "-Xms" + heap(),
        "-XX:MaxDirectMemorySize=" + direct(),
        "-XX:MaxMetaspaceSize=" + jvmMetaspace);
  }

  /** All sizes by name. */
  public Map<String, Long> byName() {
    Map<String, Long> sizes = new LinkedHashMap<>();
    sizes.put("process", process());
    sizes.put("flink", flink());
    sizes.put("framework-heap", frameworkHeap);
    sizes.put("framework-off-heap", frameworkOffHeap);
    sizes.put("task-heap", taskHeap);
    sizes.put("task-off-heap", taskOffHeap);
    sizes.put("network", network);
    sizes.put("managed", managed);
    sizes.put("jvm-metaspace", jvmMetaspace);
    sizes.put("jvm-overhead", jvmOverhead);
    return sizes;
  }

  /** The parts of the flink total. */
  private static final class Parts {
    private final Configuration configuration;
    private final DerivedSize frameworkHeap;
    private final DerivedSize frameworkOffHeap;
    private final DerivedSize taskOffHeap;
    private final MemoryFraction networkShare;

    Parts(Configuration configuration) {
      this.configuration = configuration;
      frameworkHeap = DerivedSize.of(configuration, MemoryOptions.FRAMEWORK_HEAP);
      frameworkOffHeap = DerivedSize.of(configuration, MemoryOptions.FRAMEWORK_OFF_HEAP);
      taskOffHeap = DerivedSize.of(configuration, MemoryOptions.TASK_OFF_HEAP);
      networkShare =
          MemoryFraction.of(
              configuration,
              MemoryOptions.NETWORK_FRACTION,
              MemoryOptions.NETWORK_MIN,
              MemoryOptions.NETWORK_MAX);
    }

    /** The totals follow from the parts; a configured flink total determines the network memory. */
    TaskManagerMemory fromParts() {
      DerivedSize taskHeap = DerivedSize.of(configuration, MemoryOptions.TASK_HEAP);
      DerivedSize managed = DerivedSize.of(configuration, MemoryOptions.MANAGED_MEMORY);
      DerivedSize rest =
          DerivedSize.sum(frameworkHeap, frameworkOffHeap, taskHeap, taskOffHeap, managed);
      long network =
          configuration.contains(MemoryOptions.TASK_MANAGER_FLINK_MEMORY)
              ? leftForNetwork(
                  DerivedSize.of(configuration, MemoryOptions.TASK_MANAGER_FLINK_MEMORY),
                  taskHeap,
                  managed)
              : networkShare.besides(rest);
      DerivedSize flink = DerivedSize.sum(rest, new DerivedSize("network memory", network));
      return with(
          taskHeap.bytes(),
          network,
          managed.bytes(),
          ProcessMemoryOptions.TASK_MANAGER.around(configuration, flink.bytes()));
    }

    /**
     * A configured task heap determines the network memory; otherwise the task heap is the rest.
     */
    TaskManagerMemory inside(DerivedSize flink, Jvm jvm) {
      DerivedSize managed = managed(flink);
      if (configuration.contains(MemoryOptions.TASK_HEAP)) {
        DerivedSize taskHeap = DerivedSize.of(configuration, MemoryOptions.TASK_HEAP);
        return with(
            taskHeap.bytes(), leftForNetwork(flink, taskHeap, managed), managed.bytes(), jvm);
      }
      DerivedSize network = new DerivedSize("network memory", networkShare.of(flink));
      long taskHeap = flink.minus(frameworkHeap, frameworkOffHeap, taskOffHeap, managed, network);
      return with(taskHeap, network.bytes(), managed.bytes(), jvm);
    }

    private DerivedSize managed(DerivedSize flink) {
      return configuration.contains(MemoryOptions.MANAGED_MEMORY)
          ? DerivedSize.of(configuration, MemoryOptions.MANAGED_MEMORY)
          : new DerivedSize(
              "managed memory",
              MemoryFraction.of(configuration, MemoryOptions.MANAGED_FRACTION).of(flink));
    }

    private long leftForNetwork(DerivedSize flink, DerivedSize taskHeap, DerivedSize managed) {
      long left = flink.minus(frameworkHeap, frameworkOffHeap, taskHeap, taskOffHeap, managed);
      return networkShare.checked(
          new DerivedSize(
              "Of "
                  + flink
                  + ", "
                  + taskHeap
                  + ", "
                  + managed
                  + " and the other parts, network memory",
              left));
    }

    private TaskManagerMemory with(long taskHeap, long network, long managed, Jvm jvm) {
      return new TaskManagerMemory(
          frameworkHeap.bytes(),
          frameworkOffHeap.bytes(),
          taskHeap,
          taskOffHeap.bytes(),
          network,
          managed,
          jvm.metaspace(),
          jvm.overhead());
    }
  }
}
