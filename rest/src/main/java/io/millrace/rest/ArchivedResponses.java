package io.millrace.rest;

import io.millrace.graph.Graphs;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.EarlierAttempt;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.rest.explain.CheckpointReport;
import io.millrace.rest.explain.JobSnapshot;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The REST responses about an ended job, by path, as they were when it ended. */
final class ArchivedResponses {
  private final Map<String, JsonObject> responses = new LinkedHashMap<>();

  private ArchivedResponses(ArchivedJob archived) {
    JobDetails job = archived.details();
    long now = archived.ended().overview().endedAt();
    String path = "/jobs/" + archived.job();
    responses.put(
        "/jobs/overview",
        new JsonObject()
            .put("jobs", new JsonArray().add(JobViews.overview(archived.ended().overview(), now))));
    responses.put(path, JobViews.details(job, now));
    responses.put(path + "/config", JobViews.config(job.graph()));
    responses.put(path + "/accumulators", AccumulatorViews.ofJob(job, true));
    responses.put(path + "/exceptions", JobViews.exceptions(job.failures(), job.failures().size()));
    responses.put(
        path + "/execution-result", JobViews.executionResult(archived.ended().result(), job));
    responses.put(
        path + "/plan", new JsonObject().put("plan", Json.decode(Graphs.json(job.graph()))));
    responses.put(
        "/applications/" + archived.job(),
        ApplicationViews.details(job, archived.ended().overview(), now));
    responses.put(
        "/applications/" + archived.job() + "/exceptions",
        ApplicationViews.exceptions(job, job.failures().size()));
    responses.put(path + "/status", new JsonObject().put("status", job.status().name()));
    for (VertexDetails vertex : job.vertices()) {
      vertex(job, vertex, path + "/vertices/" + vertex.id(), now);
    }
    responses.put(
        path + "/checkpoints",
        CheckpointViews.statistics(archived.checkpoints().withoutVertices()));
    responses.put(
        path + "/checkpoints/config", CheckpointViews.config(job.graph().configuration()));
    for (CheckpointRecord checkpoint : archived.checkpoints().history()) {
      String details = path + "/checkpoints/details/" + checkpoint.number();
      responses.put(details, CheckpointViews.checkpoint(checkpoint));
      for (VertexRecord vertex : checkpoint.vertices()) {
        responses.put(
            details + "/subtasks/" + vertex.vertex(),
            CheckpointViews.subtasks(checkpoint, vertex.vertex()).orElseThrow());
      }
    }
    responses.put(path + "/result", JobViews.result(archived.ended().result()));
    responses.put(path + "/journal", ExplainViews.journal(archived.history()));
    JobSnapshot snapshot = new JobSnapshot(job, archived.history(), Optional.of(List.of()), now);
    responses.put(
        path + "/explain",
        ExplainViews.explanation(
            snapshot
                .explain()
                .withNotes(
                    CheckpointReport.notes(
                        archived.checkpoints(), archived.details().graph(), now))));
    responses.put(path + "/timeline", ExplainViews.timeline(snapshot.timeline()));
  }

  private void vertex(JobDetails job, VertexDetails vertex, String path, long now) {
    JobVertex definition = job.graph().vertex(vertex.id());
    responses.put(path, VertexViews.details(definition, vertex, now));
    responses.put(path + "/accumulators", AccumulatorViews.ofVertex(vertex));
    responses.put(path + "/subtasks/accumulators", AccumulatorViews.ofSubtasks(vertex));
    responses.put(path + "/subtasktimes", SubtaskViews.times(definition, vertex, now));
    responses.put(path + "/taskmanagers", SubtaskViews.perTaskManager(definition, vertex, now));
    for (int i = 0; i < vertex.subtasks().size(); i++) {
      SubtaskDetails latest = vertex.subtasks().get(i);
      JsonObject subtask = VertexViews.subtask(i, latest, now);
      responses.put(path + "/subtasks/" + i, subtask);
      String attempt = path + "/subtasks/" + i + "/attempts/" + latest.attempt();
      responses.put(attempt, subtask);
      responses.put(attempt + "/accumulators", AccumulatorViews.ofAttempt(i, latest));
    }
    for (EarlierAttempt earlier : job.earlier()) {
      if (earlier.vertex().equals(vertex.id())) {
        String attempt =
            path + "/subtasks/" + earlier.subtask() + "/attempts/" + earlier.details().attempt();
        responses.put(attempt, VertexViews.subtask(earlier.subtask(), earlier.details(), now));
        responses.put(
            attempt + "/accumulators",
            AccumulatorViews.ofAttempt(earlier.subtask(), earlier.details()));
      }
    }
  }

  /** {@code {"archive":[{"path":…,"json":…},…]}}, with each response as a text. */
  static Buffer of(ArchivedJob job) {
    JsonArray archive = new JsonArray();
    new ArchivedResponses(job)
        .responses.forEach(
            (path, json) ->
                archive.add(
                    new JsonObject().put("path", path).put("json", Json.encode(json).toString())));
    return Json.encode(new JsonObject().put("archive", archive));
  }
}
