package io.millrace.worker.taskexecutor;

import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.JobMasterGateway.KeptTask;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The tasks of a job that have ended on this worker: a repeated deployment does not start them
 * again, and a new leader that adopts the others of their regions learns how they ended.
 */
final class EndedTasks {
  private static final int MAX_REMEMBERED = 20_000;

  /** Older ones are forgotten, because they are in one message: their regions are not adopted. */
  private static final int MAX_ADOPTABLE = 5_000;

  private final Set<ExecutionId> all = new LinkedHashSet<>();
  private final Map<ExecutionId, Ended> adoptable = new LinkedHashMap<>();

  private record Ended(AllocationId slot, TaskUpdate last) {}

  void add(ExecutionId execution) {
    all.add(execution);
    if (all.size() > MAX_REMEMBERED) {
      all.remove(all.iterator().next());
    }
  }

  /** Adds a task that another leader may adopt. */
  void add(AllocationId slot, TaskUpdate last) {
    add(last.execution());
    adoptable.put(last.execution(), new Ended(slot, last));
    if (adoptable.size() > MAX_ADOPTABLE) {
      adoptable.remove(adoptable.keySet().iterator().next());
    }
  }

  boolean contains(ExecutionId execution) {
    return all.contains(execution);
  }

  /** The last update of a task that may be adopted. */
  Optional<TaskUpdate> last(ExecutionId execution) {
    return Optional.ofNullable(adoptable.get(execution)).map(Ended::last);
  }

  /** The tasks that may be adopted. */
  List<KeptTask> kept() {
    List<KeptTask> kept = new ArrayList<>();
    adoptable.forEach(
        (execution, ended) ->
            kept.add(new KeptTask(execution, ended.slot(), ended.last().state())));
    return kept;
  }

  /** A leader has decided which ones it adopts. No later one adopts the others. */
  void adopted(Set<ExecutionId> executions) {
    adoptable.keySet().retainAll(executions);
  }

  /**
   * Tasks are deployed: their leader knows how earlier ones have failed. Those that have finished
   * may belong to regions that run on.
   */
  void forgetFailures() {
    adoptable.values().removeIf(ended -> ended.last().state() != TaskState.FINISHED);
  }
}
