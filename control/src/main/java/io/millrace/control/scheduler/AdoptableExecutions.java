package io.millrace.control.scheduler;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.core.id.AllocationId;
import io.millrace.protocol.StoredDeployment;
import io.millrace.protocol.StoredDeployment.StoredExecution;
import io.millrace.protocol.StoredDeployment.StoredSlot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects the executions that the next leader may adopt: those of regions that are deployed. */
final class AdoptableExecutions {
  private AdoptableExecutions() {}

  static StoredDeployment of(ExecutionGraph graph) {
    Map<AllocationId, Integer> indexes = new HashMap<>();
    List<StoredSlot> used = new ArrayList<>();
    List<StoredExecution> executions = new ArrayList<>();
    for (Subtask subtask : graph.subtasks) {
      Execution execution = subtask.current;
      int index = StoredExecution.NOT_DEPLOYED;
      if (subtask.region.phase == Region.Phase.ACTIVE && execution.slot().isPresent()) {
        AllocatedSlot slot = execution.slot().get();
        index = indexes.computeIfAbsent(slot.allocation(), x -> indexes.size());
        if (index == used.size()) {
          used.add(new StoredSlot(slot.allocation(), slot.worker(), slot.profile()));
        }
      }
      executions.add(
          new StoredExecution(execution.id, execution.attempt, index, execution.checkpoints));
    }
    return new StoredDeployment(used, executions);
  }
}
