package io.millrace.api.function;

import io.millrace.api.resource.ExternalResourceInfo;
import java.util.List;

/** What a function can know of the task it runs in. */
public interface RuntimeContext {
  /** The name of the operator. */
  String name();

  /** Which of the parallel instances this is, from 0. */
  int subtask();

  int parallelism();

  /** Tells a restarted task from its forerunner. */
  int attempt();

  /**
   * The external resources of this kind that the task's slot has, which nobody else has at the same
   * time but other operators in the same slot. Empty where it has none.
   *
   * @param resource the name under which the TaskManager's configuration has it, such as gpu
   */
  List<ExternalResourceInfo> externalResourceInfos(String resource);
}
