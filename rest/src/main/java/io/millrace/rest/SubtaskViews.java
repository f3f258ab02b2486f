package io.millrace.rest;

import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.task.TaskState;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Times and places of the subtasks of a vertex as JSON. */
final class SubtaskViews {
  private SubtaskViews() {}

  static JsonObject times(VertexOperations.VertexOfJob found, long now) {
    return times(found.definition(), found.vertex(), now);
  }

  static JsonObject times(JobVertex vertex, VertexDetails details, long now) {
    JsonArray subtasks = new JsonArray();
    for (int i = 0; i < details.subtasks().size(); i++) {
      SubtaskDetails subtask = details.subtasks().get(i);
      JsonObject timestamps = new JsonObject();
      for (TaskState state : TaskState.values()) {
        timestamps.put(state.name(), Math.max(0, TaskTimes.entered(subtask, state)));
      }
      timestamps.put("RECONCILING", 0);
      long scheduled = TaskTimes.entered(subtask, TaskState.SCHEDULED);
      long end = subtask.state().isTerminal() ? TaskTimes.entered(subtask, subtask.state()) : -1;
      subtasks.add(
          new JsonObject()
              .put("subtask", i)
              .put("endpoint", VertexViews.endpoint(subtask))
              .put("duration", TaskTimes.of(scheduled, end, now).duration())
              .put("timestamps", timestamps));
    }
    return named(vertex, now).put("subtasks", subtasks);
  }

  static JsonObject perTaskManager(VertexOperations.VertexOfJob found, long now) {
    return perTaskManager(found.definition(), found.vertex(), now);
  }

  static JsonObject perTaskManager(JobVertex vertex, VertexDetails details, long now) {
    Map<Optional<WorkerId>, List<SubtaskDetails>> workers = new LinkedHashMap<>();
    for (SubtaskDetails subtask : details.subtasks()) {
      workers.computeIfAbsent(subtask.worker(), unknown -> new ArrayList<>()).add(subtask);
    }
    JsonArray taskManagers = new JsonArray();
    workers.forEach(
        (worker, subtasks) -> {
          VertexDetails here = new VertexDetails(details.id(), subtasks);
          TaskTimes times = TaskTimes.of(subtasks, now);
          taskManagers.add(
              new JsonObject()
                  .put("endpoint", VertexViews.endpoint(subtasks.get(0)))
                  .put("status", VertexViews.state(here).name())
                  .put("start-time", times.start())
                  .put("end-time", times.end())
                  .put("duration", times.duration())
                  .put("metrics", TaskMetric.sums(subtasks))
                  .put(
                      "status-counts",
                      JobViews.perState(subtasks.stream().map(SubtaskDetails::state).toList()))
                  .put("taskmanager-id", VertexViews.taskManager(subtasks.get(0)))
                  .put("aggregated", VertexViews.aggregated(subtasks, now)));
        });
    return named(vertex, now).put("taskmanagers", taskManagers);
  }

  private static JsonObject named(JobVertex vertex, long now) {
    return new JsonObject()
        .put("id", vertex.id().toString())
        .put("name", vertex.name())
        .put("now", now);
  }
}
