package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import java.util.List;

/** Operations on the accumulators of jobs, vertices and subtasks. */
final class AccumulatorOperations {
  private static final String VERTEX = "/jobs/:jobid/vertices/:vertexid";

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET,
            "/jobs/:jobid/accumulators",
            "Accumulators over all tasks; with `?includeSerializedValue=true` also as objects of"
                + " Java.",
            call ->
                JobOperations.describe(call, call.job())
                    .thenApply(
                        job ->
                            RestResponse.ok(
                                AccumulatorViews.ofJob(job, call.flag("includeSerializedValue"))))),
        Operation.flink(
            GET,
            VERTEX + "/accumulators",
            "Accumulators over the subtasks of a vertex.",
            SubtaskOperations.view((call, found) -> AccumulatorViews.ofVertex(found.vertex()))),
        Operation.flink(
            GET,
            VERTEX + "/subtasks/accumulators",
            "Accumulators of each subtask.",
            SubtaskOperations.view((call, found) -> AccumulatorViews.ofSubtasks(found.vertex()))),
        Operation.flink(
            GET,
            VERTEX + "/subtasks/:subtaskindex/attempts/:attempt/accumulators",
            "Accumulators of an attempt of a subtask.",
            SubtaskOperations.view(
                (call, found) ->
                    AccumulatorViews.ofAttempt(
                        found.index(call), SubtaskOperations.attempt(call, found)))));
  }
}
