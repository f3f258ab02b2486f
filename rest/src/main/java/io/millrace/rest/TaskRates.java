package io.millrace.rest;

import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.TaskCounters;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * How a task does now: what changed between the two last reports of its worker, or since its start
 * where there is one only. The time between them is the sum of what the task spent its time with,
 * so no clock is needed.
 *
 * @param now the last report; nothing where there is none or the task has ended
 */
record TaskRates(Optional<TaskCounters> now, Optional<TaskCounters> before) {
  static TaskRates of(SubtaskDetails subtask) {
    return subtask.state().isTerminal()
        ? new TaskRates(Optional.empty(), Optional.empty())
        : new TaskRates(subtask.counters(), subtask.earlier());
  }

  /** By how much something grew in a second; 0 where nothing is known. */
  double perSecond(ToLongFunction<TaskCounters> measure) {
    long millis = grew(TaskCounters::millis);
    return millis <= 0 ? 0 : Math.max(0, 1000.0 * grew(measure) / millis);
  }

  private long grew(ToLongFunction<TaskCounters> measure) {
    return now.map(measure::applyAsLong).orElse(0L) - before.map(measure::applyAsLong).orElse(0L);
  }

  double busy() {
    return perSecond(TaskCounters::busyMillis) / 1000;
  }

  double idle() {
    return perSecond(TaskCounters::idleMillis) / 1000;
  }

  double backPressured() {
    return perSecond(TaskCounters::backPressuredMillis) / 1000;
  }
}
