package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskRates;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The current flow of records through a job: rates, utilisation and event time of each vertex. */
final class JobFlowOperations {
  /** From this share of time on a task is a candidate for the bottleneck, or waits for one. */
  private static final double HIGH = 0.5;

  List<Operation> table() {
    return List.of(
        Operation.extension(
            GET,
            "/jobs/:jobid/flow",
            "Rates, busy and back pressured time, and watermark of each vertex and edge, and the"
                + " vertex that limits the rate of the job.",
            call ->
                JobOperations.describe(call, call.job())
                    .thenApply(job -> RestResponse.ok(view(job)))));
  }

  private static JsonObject view(JobDetails job) {
    Map<VertexId, VertexFlow> flows = new LinkedHashMap<>();
    job.vertices().forEach(vertex -> flows.put(vertex.id(), VertexFlow.of(vertex)));
    Map<Integer, Double> rates =
        EdgeRates.of(
            job.graph().edges(),
            vertex -> flows.get(vertex).sum(TaskCounters::recordsIn),
            vertex -> flows.get(vertex).sum(TaskCounters::recordsOut));
    return new JsonObject()
        .put("jid", job.id().toString())
        .put("state", job.status().name())
        .put("vertices", Json.array(job.vertices(), vertex -> flows.get(vertex.id()).json()))
        .put("edges", Json.array(job.graph().edges(), edge -> edge(edge, flows, rates)))
        .put(
            "bottleneck",
            bottleneck(job.graph(), flows).map(vertex -> vertex.id().toString()).orElse(null));
  }

  /**
   * An edge has no counters of its own. Its producer waits for the room of this edge only if its
   * consumer has work for most of the time.
   */
  private static JsonObject edge(
      JobEdge edge, Map<VertexId, VertexFlow> flows, Map<Integer, Double> rates) {
    VertexFlow source = flows.get(edge.source());
    VertexFlow target = flows.get(edge.target());
    boolean isFull = target.busy() + target.backPressured() >= HIGH;
    return new JsonObject()
        .put("source", edge.source().toString())
        .put("target", edge.target().toString())
        .put("records-per-second", rates.get(edge.id()))
        .put("back-pressured", isFull ? source.backPressured() : 0)
        .put("watermark", source.watermarkOrNull());
  }

  /**
   * The busiest vertex that others wait for: it has a producer without room for output and room of
   * its own. Without such a vertex, nothing limits the sources.
   */
  private static Optional<VertexFlow> bottleneck(JobGraph graph, Map<VertexId, VertexFlow> flows) {
    return graph.edges().stream()
        .filter(edge -> flows.get(edge.source()).backPressured() >= HIGH)
        .map(JobEdge::target)
        .map(flows::get)
        .filter(flow -> flow.backPressured() < HIGH)
        .max(Comparator.comparingDouble(VertexFlow::busy));
  }

  /**
   * The flow through a vertex.
   *
   * @param busy the share of time in which its busiest subtask works
   * @param backPressured the share of time in which a subtask waits for room, the largest one
   * @param watermark the lowest one of its subtasks; empty before the first one
   */
  private record VertexFlow(
      VertexId id,
      List<TaskRates> rates,
      double busy,
      double backPressured,
      OptionalLong watermark,
      long lateRecords) {

    static VertexFlow of(VertexDetails vertex) {
      List<TaskRates> rates = vertex.subtasks().stream().map(SubtaskDetails::rates).toList();
      List<TaskEventTime> eventTimes =
          vertex.subtasks().stream()
              .map(SubtaskDetails::counters)
              .flatMap(Optional::stream)
              .map(TaskCounters::eventTime)
              .flatMap(Optional::stream)
              .toList();
      OptionalLong watermark =
          eventTimes.stream().mapToLong(TaskEventTime::outputWatermark).min().stream()
              .filter(lowest -> lowest != TaskEventTime.NO_WATERMARK)
              .findFirst();
      return new VertexFlow(
          vertex.id(),
          rates,
          highest(rates, TaskRates::busy),
          highest(rates, TaskRates::backPressured),
          watermark,
          eventTimes.stream().mapToLong(TaskEventTime::lateRecordsDropped).sum());
    }

    private static double highest(List<TaskRates> rates, ToDoubleFunction<TaskRates> share) {
      return Math.min(1, rates.stream().mapToDouble(share).max().orElse(0));
    }

    private double sum(ToLongFunction<TaskCounters> counter) {
      return rates.stream().mapToDouble(rate -> rate.perSecond(counter)).sum();
    }

    /** How far the busiest input is above the mean of all subtasks; 1 if they are equal. */
    private double skew() {
      double mean = sum(TaskCounters::recordsIn) / Math.max(1, rates.size());
      return mean == 0
          ? 1
          : rates.stream()
                  .mapToDouble(rate -> rate.perSecond(TaskCounters::recordsIn))
                  .max()
                  .orElse(mean)
              / mean;
    }

    private Long watermarkOrNull() {
      return watermark.isPresent() ? (Long) watermark.getAsLong() : null;
    }

    JsonObject json() {
      return new JsonObject()
          .put("id", id.toString())
          .put("records-in-per-second", sum(TaskCounters::recordsIn))
          .put("records-out-per-second", sum(TaskCounters::recordsOut))
          .put("bytes-in-per-second", sum(TaskCounters::bytesIn))
          .put("bytes-out-per-second", sum(TaskCounters::bytesOut))
          .put("busy", busy)
          .put("back-pressured", backPressured)
          .put("skew", skew())
          .put("watermark", watermarkOrNull())
          .put("late-records", lateRecords);
    }
  }
}
