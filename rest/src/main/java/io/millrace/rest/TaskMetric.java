package io.millrace.rest;

import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.task.TaskCounters;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Something tasks count.
 *
 * @param partial whether clients are told, under a key of its own, if the numbers of all are in
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

  /** What tasks have counted together. */
  static JsonObject sums(List<SubtaskDetails> subtasks) {
    boolean complete = subtasks.stream().allMatch(subtask -> subtask.counters().isPresent());
    JsonObject json = new JsonObject();
    for (TaskMetric measure : ALL) {
      long sum = subtasks.stream().mapToLong(measure::of).sum();
      if (measure.key.equals(BUSY)) {
        // The one number that clients know as a fraction.
        json.put(measure.key, (double) sum);
      } else {
        json.put(measure.key, sum);
      }
      if (measure.partial) {
        json.put(measure.key + "-complete", complete);
      }
    }
    return json;
  }

  /** How it is spread over tasks. */
  static JsonObject spread(List<SubtaskDetails> subtasks) {
    JsonObject json = new JsonObject();
    for (TaskMetric measure : ALL) {
      json.put(measure.key, Quantiles.of(subtasks.stream().mapToLong(measure::of).toArray()));
    }
    return json;
  }

  private long of(SubtaskDetails subtask) {
    return subtask.counters().map(value::applyAsLong).orElse(0L);
  }
}
