package io.millrace.rest;

import io.millrace.graph.task.TaskCounters;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.ToLongFunction;

/** What tasks have done, of one or added up. */
enum Measures {
  READ_BYTES("read-bytes", TaskCounters::bytesIn, true),
  WRITE_BYTES("write-bytes", TaskCounters::bytesOut, true),
  READ_RECORDS("read-records", TaskCounters::recordsIn, true),
  WRITE_RECORDS("write-records", TaskCounters::recordsOut, true),
  BACK_PRESSURED("accumulated-backpressured-time", TaskCounters::backPressuredMillis, false),
  IDLE("accumulated-idle-time", TaskCounters::idleMillis, false),
  BUSY("accumulated-busy-time", TaskCounters::busyMillis, false);

  private final String key;
  private final ToLongFunction<TaskCounters> value;
  private final boolean saysWhetherComplete;

  Measures(String key, ToLongFunction<TaskCounters> value, boolean saysWhetherComplete) {
    this.key = key;
    this.value = value;
    this.saysWhetherComplete = saysWhetherComplete;
  }

  static JsonObject sums(List<SubtaskDetails> subtasks) {
    boolean complete = subtasks.stream().allMatch(subtask -> subtask.counters().isPresent());
    JsonObject json = new JsonObject();
    for (Measures measure : values()) {
      long sum = subtasks.stream().mapToLong(measure::of).sum();
      if (measure == BUSY) {
        // The one number that clients know as a fraction.
        json.put(measure.key, (double) sum);
      } else {
        json.put(measure.key, sum);
      }
      if (measure.saysWhetherComplete) {
        json.put(measure.key + "-complete", complete);
      }
    }
    return json;
  }

  static JsonObject spread(List<SubtaskDetails> subtasks) {
    JsonObject json = new JsonObject();
    for (Measures measure : values()) {
      json.put(measure.key, Quantiles.of(subtasks.stream().mapToLong(measure::of).toArray()));
    }
    return json;
  }

  private long of(SubtaskDetails subtask) {
    return subtask.counters().map(value::applyAsLong).orElse(0L);
  }
}
