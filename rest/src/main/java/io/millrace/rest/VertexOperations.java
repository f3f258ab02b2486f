package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.vertx.core.json.JsonArray;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

/** What concerns the vertices of jobs and their subtasks. */
final class VertexOperations {
  private static final String VERTEX = "/jobs/:jobid/vertices/:vertexid";
  private static final List<String> AGGREGATIONS = List.of("min", "max", "avg", "sum", "skew");

  List<Operation> table() {
    return List.of(
        Operation.known(
            GET,
            VERTEX,
            "One vertex with its subtasks, with `thread` if a task has its own thread, and `event-time`.",
            this::vertex),
        Operation.known(
            GET,
            VERTEX + "/backpressure",
            "The shares of time in which subtasks wait for room, wait for input, or work.",
            call ->
                described(call)
                    .thenApply(
                        known ->
                            RestResponse.ok(VertexViews.backPressure(known.vertex, call.now())))),
        Operation.known(
            GET,
            VERTEX + "/metrics",
            "Names of the subtasks' metrics, or the values of some (`?get=0.numRecordsIn,…`).",
            metrics((call, known) -> TaskMetrics.ofAll(known.vertex.subtasks(), wanted(call)))),
        Operation.known(
            GET,
            VERTEX + "/subtasks/metrics",
            "Metrics over all subtasks (`?get=…`, `&agg=min,max,avg,sum,skew`, `&subtasks=0,2-4`).",
            metrics(
                (call, known) ->
                    TaskMetrics.over(
                        chosen(call, known.vertex.subtasks()),
                        wanted(call),
                        list(call, "agg").orElse(AGGREGATIONS)))),
        Operation.known(GET, VERTEX + "/subtasks/:subtaskindex", "One subtask.", this::subtask),
        Operation.known(
            GET,
            VERTEX + "/subtasks/:subtaskindex/metrics",
            "Names of one subtask's metrics, or the values of some (`?get=numRecordsIn,…`).",
            metrics((call, known) -> TaskMetrics.of(known.subtask(call), wanted(call)))),
        Operation.known(
            GET,
            VERTEX + "/watermarks",
            "The watermark of each subtask's input.",
            metrics((call, known) -> TaskMetrics.watermarks(known.vertex.subtasks()))));
  }

  private record Known(JobDetails job, VertexDetails vertex) {
    SubtaskDetails subtask(RestRequest call) {
      return vertex.subtasks().get(index(call));
    }

    int index(RestRequest call) {
      String text = call.path("subtaskindex");
      int count = vertex.subtasks().size();
      if (text.matches("\\d{1,9}") && Integer.parseInt(text) < count) {
        return Integer.parseInt(text);
      }
      throw new RestError(
          404,
          "Vertex "
              + vertex.id()
              + " has "
              + count
              + " subtasks from 0 on, and none '"
              + text
              + "'.");
    }
  }

  private static CompletableFuture<Known> described(RestRequest call) {
    JobId id = call.job();
    var vertexId = call.vertex();
    return JobOperations.describe(call, id)
        .thenApply(
            job ->
                job.vertices().stream()
                    .filter(vertex -> vertex.id().equals(vertexId))
                    .findFirst()
                    .map(vertex -> new Known(job, vertex))
                    .orElseThrow(
                        () ->
                            new RestError(404, "Job " + id + " has no vertex " + vertexId + ".")));
  }

  private CompletableFuture<RestResponse> vertex(RestRequest call) {
    return described(call)
        .thenCombine(
            endpoints(call),
            (known, endpoints) ->
                RestResponse.ok(
                    VertexViews.details(
                        known.job.graph().vertex(known.vertex.id()),
                        known.vertex,
                        endpoints,
                        call.now())));
  }

  private CompletableFuture<RestResponse> subtask(RestRequest call) {
    return described(call)
        .thenCombine(
            endpoints(call),
            (known, endpoints) ->
                RestResponse.ok(
                    VertexViews.subtask(
                        known.index(call), known.subtask(call), endpoints, call.now())));
  }

  private static CompletableFuture<Map<WorkerId, String>> endpoints(RestRequest call) {
    return ClusterOperations.workers(call)
        .thenApply(
            workers -> {
              Map<WorkerId, String> endpoints = new LinkedHashMap<>();
              workers.forEach(worker -> endpoints.put(worker.worker(), worker.dataAddress()));
              return endpoints;
            });
  }

  private static Function<RestRequest, CompletableFuture<RestResponse>> metrics(
      BiFunction<RestRequest, Known, JsonArray> view) {
    return call -> described(call).thenApply(known -> RestResponse.ok(view.apply(call, known)));
  }

  private static Optional<List<String>> wanted(RestRequest call) {
    return list(call, "get");
  }

  private static Optional<List<String>> list(RestRequest call, String name) {
    return call.query(name).map(text -> List.of(text.split(",")));
  }

  /** Those named by indexes and ranges of them; all where nothing is said. */
  private static List<SubtaskDetails> chosen(RestRequest call, List<SubtaskDetails> all) {
    Optional<List<String>> ranges = list(call, "subtasks");
    if (ranges.isEmpty()) {
      return all;
    }
    List<SubtaskDetails> chosen = new ArrayList<>();
    for (String range : ranges.get()) {
      if (!range.matches("\\d{1,9}(-\\d{1,9})?")) {
        throw new RestError(
            400,
            "Query parameter subtasks wants indexes and ranges such as 1,3,5-9, not '"
                + range
                + "'.");
      }
      String[] ends = range.split("-");
      int last = Math.min(all.size() - 1, Integer.parseInt(ends[ends.length - 1]));
      for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
        chosen.add(all.get(i));
      }
    }
    return chosen;
  }
}
