package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.id.JobId;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.DispatcherGateway.ReadJobMetrics;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.vertx.core.json.JsonArray;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Operations on the vertices of jobs and their subtasks. */
final class VertexOperations {
  private static final String VERTEX = "/jobs/:jobid/vertices/:vertexid";

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET,
            VERTEX,
            "One vertex with its subtasks, with `thread` if a task has its own thread, and"
                + " `event-time`.",
            this::vertex),
        Operation.flink(
            GET,
            VERTEX + "/backpressure",
            "The shares of time in which subtasks wait for room, wait for input, or work.",
            call ->
                find(call)
                    .thenApply(
                        found ->
                            RestResponse.ok(VertexViews.backPressure(found.vertex, call.now())))),
        Operation.flink(
            GET,
            VERTEX + "/metrics",
            "Names of the subtasks' metrics, or the values of some (`?get=0.numRecordsIn,…`).",
            metrics(
                (call, found, metrics) ->
                    metrics.ofAll(found.vertex.subtasks(), MetricSelection.of(call)))),
        Operation.flink(
            GET,
            VERTEX + "/subtasks/metrics",
            "Metrics over all subtasks (`?get=…`, `&agg=min,max,avg,sum,skew`, `&subtasks=0,2-4`).",
            metrics(
                (call, found, metrics) ->
                    metrics.aggregated(
                        selected(call, found.vertex.subtasks()),
                        MetricSelection.of(call),
                        MetricSelection.aggregations(call)))),
        Operation.flink(GET, VERTEX + "/subtasks/:subtaskindex", "One subtask.", this::subtask),
        Operation.flink(
            GET,
            VERTEX + "/subtasks/:subtaskindex/metrics",
            "Names of one subtask's metrics, or the values of some (`?get=numRecordsIn,…`).",
            metrics(
                (call, found, metrics) ->
                    metrics.of(found.subtask(call)).json(MetricSelection.of(call)))),
        Operation.flink(
            GET,
            VERTEX + "/watermarks",
            "The watermark of each subtask's input.",
            call ->
                find(call)
                    .thenApply(
                        found ->
                            RestResponse.ok(TaskMetrics.watermarks(found.vertex.subtasks())))));
  }

  record VertexOfJob(JobDetails job, VertexDetails vertex) {
    JobVertex definition() {
      return job.graph().vertex(vertex.id());
    }

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
              + " subtasks, numbered from 0. There is no subtask '"
              + text
              + "'.");
    }
  }

  static CompletableFuture<VertexOfJob> find(RestRequest call) {
    JobId id = call.job();
    var vertexId = call.vertex();
    return JobOperations.describe(call, id)
        .thenApply(
            job ->
                job.vertices().stream()
                    .filter(vertex -> vertex.id().equals(vertexId))
                    .findFirst()
                    .map(vertex -> new VertexOfJob(job, vertex))
                    .orElseThrow(
                        () ->
                            new RestError(404, "Job " + id + " has no vertex " + vertexId + ".")));
  }

  private CompletableFuture<RestResponse> vertex(RestRequest call) {
    return find(call)
        .thenApply(
            found ->
                RestResponse.ok(VertexViews.details(found.definition(), found.vertex, call.now())));
  }

  private CompletableFuture<RestResponse> subtask(RestRequest call) {
    return find(call)
        .thenApply(
            found ->
                RestResponse.ok(
                    VertexViews.subtask(found.index(call), found.subtask(call), call.now())));
  }

  /** Renders the metrics of a vertex as JSON. */
  private interface MetricsView {
    JsonArray of(RestRequest call, VertexOfJob found, TaskMetrics metrics);
  }

  private static Function<RestRequest, CompletableFuture<RestResponse>> metrics(MetricsView view) {
    return call ->
        find(call)
            .thenCompose(
                found ->
                    call.dispatcher(
                            dispatcher ->
                                dispatcher.readJobMetrics(
                                    new ReadJobMetrics(found.job.id(), found.vertex.id())))
                        .thenApply(
                            metrics ->
                                RestResponse.ok(
                                    view.of(call, found, TaskMetrics.of(found, metrics)))));
  }

  /** The subtasks of the query parameter, which has indexes and ranges; all if it is absent. */
  private static List<SubtaskDetails> selected(RestRequest call, List<SubtaskDetails> all) {
    Optional<List<String>> ranges = MetricSelection.list(call, "subtasks");
    if (ranges.isEmpty()) {
      return all;
    }
    List<SubtaskDetails> selected = new ArrayList<>();
    for (String range : ranges.get()) {
      if (!range.matches("\\d{1,9}(-\\d{1,9})?")) {
        throw new RestError(
            400,
            "Query parameter subtasks must have indexes and ranges such as 1,3,5-9, not '"
                + range
                + "'.");
      }
      String[] ends = range.split("-");
      int last = Math.min(all.size() - 1, Integer.parseInt(ends[ends.length - 1]));
      for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
        selected.add(all.get(i));
      }
    }
    return selected;
  }
}
