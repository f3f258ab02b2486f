package io.millrace.task;

import io.millrace.core.id.ExecutionId;
import java.util.Objects;
import java.util.Optional;

/**
 * What a task has done so far. The three times add up to its age.
 *
 * @param thread how it runs, if not on the core threads like others
 * @param eventTime how far event time is there, if it has some
 */
public record TaskCounters(
    ExecutionId execution,
    long recordsIn,
    long recordsOut,
    long bytesIn,
    long bytesOut,
    long busyMillis,
    long backPressuredMillis,
    long idleMillis,
    Optional<TaskThread> thread,
    Optional<TaskEventTime> eventTime) {
  public TaskCounters {
    Objects.requireNonNull(execution);
    Objects.requireNonNull(thread);
    Objects.requireNonNull(eventTime);
  }

  /** A task on the core threads, without event time. */
  public TaskCounters(
      ExecutionId execution,
      long recordsIn,
      long recordsOut,
      long bytesIn,
      long bytesOut,
      long busyMillis,
      long backPressuredMillis,
      long idleMillis) {
    this(
        execution,
        recordsIn,
        recordsOut,
        bytesIn,
        bytesOut,
        busyMillis,
        backPressuredMillis,
        idleMillis,
        Optional.empty(),
        Optional.empty());
  }

  /** How old the task is. */
  public long millis() {
    return busyMillis + backPressuredMillis + idleMillis;
  }

  /** The same task, known to run like this. */
  public TaskCounters on(TaskThread there) {
    return new TaskCounters(
        execution,
        recordsIn,
        recordsOut,
        bytesIn,
        bytesOut,
        busyMillis,
        backPressuredMillis,
        idleMillis,
        Optional.of(there),
        eventTime);
  }

  /** The same task, known to be there in event time. */
  public TaskCounters at(TaskEventTime reached) {
    return new TaskCounters(
        execution,
        recordsIn,
        recordsOut,
        bytesIn,
        bytesOut,
        busyMillis,
        backPressuredMillis,
        idleMillis,
        thread,
        Optional.of(reached));
  }
}
