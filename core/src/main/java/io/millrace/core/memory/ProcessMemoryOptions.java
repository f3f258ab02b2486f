package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;

/**
 * The options that both processes have under different keys, and the derivations that they share.
 */
record ProcessMemoryOptions(
    Option<MemorySize> process,
    Option<MemorySize> flink,
    Option<MemorySize> metaspace,
    Option<Float> overheadFraction,
    Option<MemorySize> overheadMin,
    Option<MemorySize> overheadMax) {
  static final ProcessMemoryOptions TASK_MANAGER =
      new ProcessMemoryOptions(
          MemoryOptions.TASK_MANAGER_PROCESS_MEMORY,
          MemoryOptions.TASK_MANAGER_FLINK_MEMORY,
          MemoryOptions.TASK_MANAGER_METASPACE,
          MemoryOptions.TASK_MANAGER_OVERHEAD_FRACTION,
          MemoryOptions.TASK_MANAGER_OVERHEAD_MIN,
          MemoryOptions.TASK_MANAGER_OVERHEAD_MAX);
  static final ProcessMemoryOptions JOB_MANAGER =
      new ProcessMemoryOptions(
          MemoryOptions.JOB_MANAGER_PROCESS_MEMORY,
          MemoryOptions.JOB_MANAGER_FLINK_MEMORY,
          MemoryOptions.JOB_MANAGER_METASPACE,
          MemoryOptions.JOB_MANAGER_OVERHEAD_FRACTION,
          MemoryOptions.JOB_MANAGER_OVERHEAD_MIN,
          MemoryOptions.JOB_MANAGER_OVERHEAD_MAX);

  /** Memory that the JVM uses besides heap and direct memory. */
  record Jvm(long metaspace, long overhead) {}

  /**
   * Derives the JVM memory for a known flink total; a configured process total determines the
   * overhead.
   */
  Jvm around(Configuration configuration, long flinkBytes) {
    DerivedSize total = flinkTotal(configuration, flinkBytes);
    DerivedSize classes = DerivedSize.of(configuration, metaspace);
    MemoryFraction overhead = overhead(configuration);
    if (!configuration.contains(process)) {
      DerivedSize rest = DerivedSize.sum(total, classes);
      long derived = overhead.besides(rest);
      DerivedSize.sum(rest, new DerivedSize("JVM overhead", derived));
      return new Jvm(classes.bytes(), derived);
    }
    DerivedSize whole = DerivedSize.of(configuration, process);
    long left = whole.minus(total, classes);
    return new Jvm(
        classes.bytes(),
        overhead.checked(
            new DerivedSize(
                "Of " + whole + ", " + total + " and " + classes + ", JVM overhead", left)));
  }

  /** Derives the JVM memory from the process total. */
  Jvm inside(Configuration configuration) {
    DerivedSize classes = DerivedSize.of(configuration, metaspace);
    return new Jvm(
        classes.bytes(), overhead(configuration).of(DerivedSize.of(configuration, process)));
  }

  /** The flink total inside a configured process total. */
  DerivedSize flinkInside(Configuration configuration, Jvm jvm) {
    DerivedSize whole = DerivedSize.of(configuration, process);
    long bytes =
        whole.minus(
            new DerivedSize(metaspace.key(), jvm.metaspace()),
            new DerivedSize("JVM overhead", jvm.overhead()));
    return new DerivedSize("The rest of " + whole + " for " + flink.key(), bytes);
  }

  /** The flink total, named by its option if that is set. */
  private DerivedSize flinkTotal(Configuration configuration, long bytes) {
    return new DerivedSize(
        configuration.contains(flink) ? flink.key() : "the derived " + flink.key(), bytes);
  }

  private MemoryFraction overhead(Configuration configuration) {
    return MemoryFraction.of(configuration, overheadFraction, overheadMin, overheadMax);
  }
}
