package io.millrace.rest;

import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Accumulators as JSON. */
final class AccumulatorViews {
  private static final String OF_USER = "user-accumulators";

  private AccumulatorViews() {}

  static JsonObject ofJob(JobDetails job, boolean serialized) {
    List<SubtaskDetails> all =
        job.vertices().stream().flatMap(vertex -> vertex.subtasks().stream()).toList();
    Map<String, AccumulatorValue> values = merged(all);
    return new JsonObject()
        .put("job-accumulators", new JsonArray())
        .put("user-task-accumulators", list(values))
        .put("serialized-user-task-accumulators", serialized ? objects(values) : new JsonObject());
  }

  static JsonObject ofVertex(VertexDetails vertex) {
    return new JsonObject()
        .put("id", vertex.id().toString())
        .put(OF_USER, list(merged(vertex.subtasks())));
  }

  static JsonObject ofSubtasks(VertexDetails vertex) {
    JsonArray subtasks = new JsonArray();
    for (int i = 0; i < vertex.subtasks().size(); i++) {
      SubtaskDetails subtask = vertex.subtasks().get(i);
      subtasks.add(
          new JsonObject()
              .put("subtask", i)
              .put("attempt", subtask.attempt())
              .put("endpoint", VertexViews.endpoint(subtask))
              .put(OF_USER, list(of(subtask))));
    }
    return new JsonObject()
        .put("id", vertex.id().toString())
        .put("parallelism", vertex.subtasks().size())
        .put("subtasks", subtasks);
  }

  static JsonObject ofAttempt(int index, SubtaskDetails subtask) {
    return new JsonObject()
        .put("subtask", index)
        .put("attempt", subtask.attempt())
        .put("id", subtask.execution().toString())
        .put(OF_USER, list(of(subtask)));
  }

  /** The values as objects that a client of Flink reads with Java serialisation, by name. */
  static JsonObject objects(Map<String, AccumulatorValue> values) {
    JsonObject json = new JsonObject();
    values.forEach(
        (name, value) -> json.put(name, FlinkObjects.value((Serializable) value.result())));
    return json;
  }

  private static Map<String, AccumulatorValue> merged(List<SubtaskDetails> subtasks) {
    Map<String, AccumulatorValue> merged = new TreeMap<>();
    subtasks.forEach(subtask -> AccumulatorValue.mergeInto(merged, of(subtask)));
    return merged;
  }

  private static Map<String, AccumulatorValue> of(SubtaskDetails subtask) {
    return subtask.counters().map(counters -> counters.accumulators()).orElseGet(TreeMap::new);
  }

  private static JsonArray list(Map<String, AccumulatorValue> values) {
    JsonArray json = new JsonArray();
    values.forEach(
        (name, value) ->
            json.add(
                new JsonObject()
                    .put("name", name)
                    .put("type", value.type())
                    .put("value", value.text())));
    return json;
  }
}
