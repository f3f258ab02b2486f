package io.millrace.dataplane;

import io.millrace.api.function.RuntimeContext;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.core.memory.ManagedMemory;
import java.util.List;

/**
 * A task as one of its operators sees it.
 *
 * @param name of the operator
 */
record TaskContext(Task task, String name, int parallelism) implements RuntimeContext {
  @Override
  public int subtask() {
    return task.subtask();
  }

  @Override
  public int attempt() {
    return task.spec().attempt();
  }

  @Override
  public List<ExternalResourceInfo> externalResourceInfos(String resource) {
    return task.deployed()
        .deployment()
        .slotOf(task.execution())
        .external()
        .getOrDefault(resource, List.of());
  }

  /** From which the engine's own operators and states take what they use, until the task ends. */
  ManagedMemory.Lease managedMemory() {
    return task.managedMemory();
  }
}
