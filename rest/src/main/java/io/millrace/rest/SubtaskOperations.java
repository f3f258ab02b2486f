package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Operations on the attempts of a vertex's subtasks, and on their times and places. */
final class SubtaskOperations {
  private static final String VERTEX = "/jobs/:jobid/vertices/:vertexid";

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET,
            VERTEX + "/subtasktimes",
            "When each subtask entered its states.",
            view((call, found) -> SubtaskViews.times(found, call.now()))),
        Operation.flink(
            GET,
            VERTEX + "/taskmanagers",
            "The subtasks of a vertex per TaskManager.",
            view((call, found) -> SubtaskViews.perTaskManager(found, call.now()))),
        Operation.flink(
            GET,
            VERTEX + "/jm-operator-metrics",
            "Metrics of operators in the JobManager. There are none: coordinators of sources and"
                + " sinks are tasks.",
            call ->
                VertexOperations.find(call).thenApply(found -> RestResponse.ok(new JsonArray()))),
        Operation.flink(
            GET,
            VERTEX + "/subtasks/:subtaskindex/attempts/:attempt",
            "An attempt of a subtask: the latest one, or one of the last 64 of the job that were"
                + " replaced.",
            view(
                (call, found) ->
                    VertexViews.subtask(found.index(call), attempt(call, found), call.now()))));
  }

  /** Renders a vertex as JSON. */
  interface View {
    JsonObject of(RestRequest call, VertexOperations.VertexOfJob found);
  }

  static Function<RestRequest, CompletableFuture<RestResponse>> view(View view) {
    return call ->
        VertexOperations.find(call).thenApply(found -> RestResponse.ok(view.of(call, found)));
  }

  /** The attempt of the path. */
  static SubtaskDetails attempt(RestRequest call, VertexOperations.VertexOfJob found) {
    int index = found.index(call);
    String text = call.path("attempt");
    if (!text.matches("\\d{1,9}")) {
      throw new RestError(
          400, "Path parameter attempt: a number from 0 is expected, not '" + text + "'.");
    }
    int attempt = Integer.parseInt(text);
    SubtaskDetails latest = found.subtask(call);
    if (latest.attempt() == attempt) {
      return latest;
    }
    return found.job().earlier().stream()
        .filter(
            earlier ->
                earlier.vertex().equals(found.vertex().id())
                    && earlier.subtask() == index
                    && earlier.details().attempt() == attempt)
        .findFirst()
        .orElseThrow(
            () ->
                new RestError(
                    404,
                    "Attempt "
                        + attempt
                        + " of subtask "
                        + index
                        + " of vertex "
                        + found.vertex().id()
                        + " is not known. The latest one is "
                        + latest.attempt()
                        + "."))
        .details();
  }
}
