package io.millrace.task;

import io.millrace.core.id.ExecutionId;
import java.util.Objects;
import java.util.Optional;

/**
 * The counters of a task. The three times add up to its age.
 *
 * @param thread present if the task does not share the core threads like others
 * @param eventTime the progress of event time, if the task has any
 * @param splits of a task that reads a source or enumerates its splits
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
    Optional<TaskEventTime> eventTime,
    Optional<TaskSplits> splits) {
  public TaskCounters {
    Objects.requireNonNull(execution);
    Objects.requireNonNull(thread);
    Objects.requireNonNull(eventTime);
    Objects.requireNonNull(splits);
  }

  /** The counters of a task on the core threads, without event time. */
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
        Optional.empty(),
        Optional.empty());
  }

  /** The age of the task. */
  public long millis() {
    return busyMillis + backPressuredMillis + idleMillis;
  }

  /** These counters with a thread. */
  public TaskCounters on(TaskThread there) {
    return with(Optional.of(there), eventTime, splits);
  }

  /** These counters with event time. */
  public TaskCounters at(TaskEventTime reached) {
    return with(thread, Optional.of(reached), splits);
  }

  /** These counters with the splits of a source. */
  public TaskCounters with(TaskSplits ofSource) {
    return with(thread, eventTime, Optional.of(ofSource));
  }

  private TaskCounters with(
      Optional<TaskThread> there, Optional<TaskEventTime> reached, Optional<TaskSplits> ofSource) {
    return new TaskCounters(
        execution,
        recordsIn,
        recordsOut,
        bytesIn,
        bytesOut,
        busyMillis,
        backPressuredMillis,
        idleMillis,
        there,
        reached,
        ofSource);
  }
}
