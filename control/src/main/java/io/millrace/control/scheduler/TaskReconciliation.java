package io.millrace.control.scheduler;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The difference between the report of a worker and the executions that are deployed to it.
 *
 * @param unexpected reported executions that should not run or are being cancelled
 * @param missing executions that the worker accepted before the report was requested and does not
 *     report
 */
record TaskReconciliation(List<ExecutionId> unexpected, List<Execution> missing) {

  /**
   * @param heartbeat the number of the request that the report answers
   */
  static TaskReconciliation of(
      ExecutionAttempts attempts, WorkerId worker, long heartbeat, TaskReport report) {
    Set<ExecutionId> reported = new HashSet<>(report.executions());
    List<ExecutionId> unexpected = new ArrayList<>();
    for (ExecutionId execution : report.executions()) {
      Optional<Execution> known = attempts.active(worker, execution);
      if (known.isEmpty() || known.get().state() == TaskState.CANCELING) {
        unexpected.add(execution);
      }
    }
    List<Execution> missing = new ArrayList<>();
    for (Execution execution : attempts.active(worker)) {
      if (execution.wasDeployedBefore(heartbeat) && !reported.contains(execution.id)) {
        missing.add(execution);
      }
    }
    return new TaskReconciliation(unexpected, missing);
  }
}
