package io.millrace.rest;

import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.TaskCounters;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A counter of tasks.
 *
 * @param partial whether the response says, under a key of its own, if all subtasks have reported
 *     it
 */
record TaskMetric(String key, ToLongFunction<TaskCounters> value, boolean partial) {
  private static final String BUSY = "accumulated-busy-time";

  private static final List<TaskMetric> ALL =
      List.of(
          new TaskMetric("read-bytes", TaskCounters::bytesIn, true),
          new TaskMetric("write-bytes", TaskCounters::bytesOut, true),
          new TaskMetric("read-records", TaskCounters::recordsIn, true),
          new TaskMetric("write-records", TaskCounters::recordsOut, true),
          new TaskMetric(
              "accumulated-backpressured-time", TaskCounters::backPressuredMillis, false),
          new TaskMetric("accumulated-idle-time", TaskCounters::idleMillis, false),
          new TaskMetric(BUSY, TaskCounters::busyMillis, false));

  /** The sums over subtasks. */
  static JsonObject sums(List<SubtaskDetails> subtasks) {
    boolean complete = subtasks.stream().allMatch(subtask -> subtask.counters().isPresent());
    JsonObject json = new JsonObject();
    for (TaskMetric metric : ALL) {
      long sum = subtasks.stream().mapToLong(metric::of).sum();
      if (metric.key.equals(BUSY)) {
        // Clients expect a floating-point number here.
        json.put(metric.key, (double) sum);
      } else {
        json.put(metric.key, sum);
      }
      if (metric.partial) {
        json.put(metric.key + "-complete", complete);
      }
    }
    return json;
  }

  /** The distribution over subtasks. */
  static JsonObject distribution(List<SubtaskDetails> subtasks) {
    JsonObject json = new JsonObject();
    for (TaskMetric metric : ALL) {
      json.put(metric.key, Quantiles.of(subtasks.stream().mapToLong(metric::of).toArray()));
    }
    return json;
  }

  private long of(SubtaskDetails subtask) {
    return subtask.counters().map(value::applyAsLong).orElse(0L);
  }
}
