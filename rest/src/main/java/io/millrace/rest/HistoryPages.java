package io.millrace.rest;

import io.millrace.core.id.VertexId;
import io.millrace.graph.Graphs;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.rest.explain.JobSnapshot;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An ended job as a history server reads it: the answers of REST about it, each under its path, as
 * they were when it ended.
 */
final class HistoryPages {
  private final Map<String, JsonObject> pages = new LinkedHashMap<>();

  private HistoryPages(ArchivedJob archived) {
    JobDetails job = archived.details();
    long now = archived.ended().overview().endedAt();
    String path = "/jobs/" + archived.job();
    pages.put(
        "/jobs/overview",
        new JsonObject()
            .put("jobs", new JsonArray().add(JobViews.overview(archived.ended().overview(), now))));
    pages.put(path, JobViews.details(job, now));
    pages.put(path + "/config", JobViews.config(job.graph()));
    pages.put(path + "/exceptions", JobViews.exceptions(job.failures(), job.failures().size()));
    pages.put(path + "/execution-result", JobViews.executionResult(archived.ended().result(), job));
    pages.put(path + "/plan", new JsonObject().put("plan", Json.decode(Graphs.json(job.graph()))));
    pages.put(path + "/status", new JsonObject().put("status", job.status().name()));
    for (VertexDetails vertex : job.vertices()) {
      pages.put(path + "/vertices/" + vertex.id(), vertex(job, vertex.id(), vertex, now));
    }
    pages.put(path + "/result", JobViews.result(archived.ended().result()));
    pages.put(path + "/journal", ExplainViews.journal(archived.history()));
    JobSnapshot story = new JobSnapshot(job, archived.history(), Optional.of(List.of()), now);
    pages.put(path + "/explain", ExplainViews.explanation(story.explain()));
    pages.put(path + "/timeline", ExplainViews.timeline(story.timeline()));
  }

  private static JsonObject vertex(JobDetails job, VertexId id, VertexDetails vertex, long now) {
    return VertexViews.details(job.graph().vertex(id), vertex, new LinkedHashMap<>(), now);
  }

  /** {@code {"archive":[{"path":…,"json":…},…]}}, the answers as texts. */
  static Buffer of(ArchivedJob job) {
    JsonArray archive = new JsonArray();
    new HistoryPages(job)
        .pages.forEach(
            (path, json) ->
                archive.add(
                    new JsonObject().put("path", path).put("json", Json.encode(json).toString())));
    return Json.encode(new JsonObject().put("archive", archive));
  }
}
