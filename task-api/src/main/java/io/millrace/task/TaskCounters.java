package io.millrace.task;

import io.millrace.core.OrderedCopies;
import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.id.ExecutionId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The counters of a task. The three times add up to its age.
 *
 * @param thread present if the task does not share the core threads like others
 * @param eventTime the progress of event time, if the task has any
 * @param splits of a task that reads a source or enumerates its splits
 * @param accumulators the values of the functions' accumulators, by name
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
    Optional<TaskSplits> splits,
    Map<String, AccumulatorValue> accumulators) {
  public TaskCounters {
    Objects.requireNonNull(execution);
    Objects.requireNonNull(thread);
    Objects.requireNonNull(eventTime);
    Objects.requireNonNull(splits);
    accumulators = OrderedCopies.map(accumulators);
  }

  /** The counters of a task without accumulators. */
  public TaskCounters(
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
    this(
        execution,
        recordsIn,
        recordsOut,
        bytesIn,
        bytesOut,
        busyMillis,
        backPressuredMillis,
        idleMillis,
        thread,
        eventTime,
        splits,
        new LinkedHashMap<>());
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
    return with(Optional.of(there), eventTime, splits, accumulators);
  }

  /** These counters with event time. */
  public TaskCounters at(TaskEventTime reached) {
    return with(thread, Optional.of(reached), splits, accumulators);
  }

  /** These counters with the splits of a source. */
  public TaskCounters with(TaskSplits ofSource) {
    return with(thread, eventTime, Optional.of(ofSource), accumulators);
  }

  /** These counters with other values of accumulators. */
  public TaskCounters with(Map<String, AccumulatorValue> accumulated) {
    return with(thread, eventTime, splits, accumulated);
  }

  /** A bound of the size of the accumulators in a message. */
  public int accumulatorBytes() {
    int bytes = 0;
    for (Map.Entry<String, AccumulatorValue> entry : accumulators.entrySet()) {
      bytes += 3 * (entry.getKey().length() + entry.getValue().size());
    }
    return bytes;
  }

  private TaskCounters with(
      Optional<TaskThread> there,
      Optional<TaskEventTime> reached,
      Optional<TaskSplits> ofSource,
      Map<String, AccumulatorValue> accumulated) {
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
        ofSource,
        accumulated);
  }
}
