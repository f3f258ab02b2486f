package io.millrace.yarn.launch;

import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import io.millrace.yarn.YarnOptions;

/** The process that a container runs, with its options. */
public enum ContainerRole {
  JOB_MANAGER(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, MemoryOptions.JOB_MANAGER_OVERHEAD_MIN, 2),
  TASK_MANAGER(
      MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, MemoryOptions.TASK_MANAGER_OVERHEAD_MIN, 4);

  private final String size;
  private final String overhead;
  private final int mallocArenas;

  ContainerRole(Option<?> size, Option<?> overhead, int mallocArenas) {
    this.size = size.key();
    this.overhead = overhead.key();
    this.mallocArenas = mallocArenas;
  }

  /** The key of the option for the size of the container. */
  String size() {
    return size;
  }

  /** The key of the option for memory that the JVM does not account for. */
  String overhead() {
    return overhead;
  }

  /** The option for variables of the user. */
  Option<String> environment() {
    return this == JOB_MANAGER ? YarnOptions.MASTER_ENVIRONMENT : YarnOptions.WORKER_ENVIRONMENT;
  }

  /**
   * The number of arenas of the C library, each of which reserves 64 MB of address space. By
   * default there are eight per processor, and YARN kills a container with too much address space.
   */
  int mallocArenas() {
    return mallocArenas;
  }
}
