package io.millrace.graph.task;

import io.millrace.core.id.ExecutionId;
import java.util.Objects;

/** What a task has done so far. */
public record TaskCounters(
    ExecutionId execution,
    long recordsIn,
    long recordsOut,
    long bytesIn,
    long bytesOut,
    long busyMillis,
    long backPressuredMillis,
    long idleMillis) {
  public TaskCounters {
    Objects.requireNonNull(execution);
  }
}
