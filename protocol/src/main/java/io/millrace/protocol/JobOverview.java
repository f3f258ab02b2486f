package io.millrace.protocol;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobType;
import io.millrace.protocol.reason.Reason;
import io.millrace.task.TaskState;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A job in a list of jobs. Times are milliseconds since the epoch, -1 if not reached. */
public record JobOverview(
    JobId id,
    String name,
    JobType type,
    JobStatus status,
    long startedAt,
    long endedAt,
    long changedAt,
    Map<TaskState, Integer> tasks,
    Optional<Reason> waitingFor) {
  public JobOverview {
    Objects.requireNonNull(id);
    Objects.requireNonNull(name);
    Objects.requireNonNull(type);
    Objects.requireNonNull(status);
    tasks = OrderedCopies.map(tasks);
    Objects.requireNonNull(waitingFor);
  }

  public JobOverview withWaitingFor(Reason reason) {
    return new JobOverview(
        id, name, type, status, startedAt, endedAt, changedAt, tasks, Optional.of(reason));
  }
}
