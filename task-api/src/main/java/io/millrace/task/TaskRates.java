package io.millrace.task;

import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * The current rates of a task: the difference between the last two reports of its worker, or since
 * its start if there is one report. The time between reports is the sum of the busy, idle and back
 * pressured time of the task, so no clock is needed.
 *
 * @param now the last report; empty if there is none or the task has ended
 */
public record TaskRates(Optional<TaskCounters> now, Optional<TaskCounters> before) {
  /** Of a task that does not run. */
  public static final TaskRates NONE = new TaskRates(Optional.empty(), Optional.empty());

  public TaskRates {
    Objects.requireNonNull(now);
    Objects.requireNonNull(before);
  }

  /** The increase of a counter per second; 0 if there is no report. */
  public double perSecond(ToLongFunction<TaskCounters> counter) {
    long millis = increase(TaskCounters::millis);
    return millis <= 0 ? 0 : Math.max(0, 1000.0 * increase(counter) / millis);
  }

  private long increase(ToLongFunction<TaskCounters> counter) {
    return now.map(counter::applyAsLong).orElse(0L) - before.map(counter::applyAsLong).orElse(0L);
  }

  public double busy() {
    return perSecond(TaskCounters::busyMillis) / 1000;
  }

  public double idle() {
    return perSecond(TaskCounters::idleMillis) / 1000;
  }

  public double backPressured() {
    return perSecond(TaskCounters::backPressuredMillis) / 1000;
  }
}
