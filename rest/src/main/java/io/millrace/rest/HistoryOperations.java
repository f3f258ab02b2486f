package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.id.JobId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The operations of a history server. */
final class HistoryOperations {
  private static final String VERSION_PREFIX = "/v1";

  private final HistoryJobs jobs;
  private final BuildInfo build = BuildInfo.read();

  HistoryOperations(HistoryJobs jobs) {
    this.jobs = jobs;
  }

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET,
            "/config",
            "Settings of the dashboard, version and time zone.",
            call -> completed(Dashboard.ofHistory(build, call.now()))),
        Operation.flink(GET, "/overview", "Numbers of jobs.", call -> completed(counts())),
        Operation.flink(GET, "/jobs", "Ids and states of all jobs.", call -> completed(ids())),
        Operation.flink(
            GET,
            "/jobs/overview",
            "A line about each job.",
            call -> completed(new JsonObject().put("jobs", new JsonArray(jobs.overviews())))),
        Operation.flink(
            GET,
            "/jobs/:jobid",
            "The response of the cluster's REST server when the job ended.",
            this::archived),
        Operation.flink(
            GET,
            "/jobs/:jobid/*",
            "The response of the cluster's REST server when the job ended.",
            this::archived),
        Operation.flink(
            GET,
            "/applications/overview",
            "All applications. Each job is one.",
            call -> completed(applications())),
        Operation.flink(
            GET,
            "/applications/:applicationid",
            "The response of the cluster's REST server when the job ended.",
            call -> archived(call, call.application())),
        Operation.flink(
            GET,
            "/applications/:applicationid/exceptions",
            "The response of the cluster's REST server when the job ended.",
            call -> archived(call, call.application())));
  }

  private JsonObject applications() {
    JsonArray applications = new JsonArray();
    jobs.overviews().forEach(job -> applications.add(ApplicationViews.archived(job)));
    return new JsonObject().put("applications", applications);
  }

  private static CompletableFuture<RestResponse> completed(JsonObject json) {
    return CompletableFuture.completedFuture(RestResponse.ok(json));
  }

  private JsonObject ids() {
    JsonArray ids = new JsonArray();
    for (JsonObject job : jobs.overviews()) {
      ids.add(
          new JsonObject().put("id", job.getString("jid")).put("status", job.getString("state")));
    }
    return new JsonObject().put("jobs", ids);
  }

  private JsonObject counts() {
    return new JsonObject()
        .put("taskmanagers", 0)
        .put("slots-total", 0)
        .put("slots-available", 0)
        .put("jobs-running", 0)
        .put("jobs-finished", count("FINISHED"))
        .put("jobs-cancelled", count("CANCELED"))
        .put("jobs-failed", count("FAILED"))
        .put("flink-version", build.version())
        .put("flink-commit", build.commit());
  }

  private long count(String state) {
    return jobs.overviews().stream().filter(job -> state.equals(job.getString("state"))).count();
  }

  private CompletableFuture<RestResponse> archived(RestRequest call) {
    return archived(call, call.job());
  }

  private CompletableFuture<RestResponse> archived(RestRequest call, JobId job) {
    String requested = call.requestedPath();
    String path =
        requested.startsWith(VERSION_PREFIX)
            ? requested.substring(VERSION_PREFIX.length())
            : requested;
    return call.io(() -> jobs.response(job, path))
        .thenApply(
            response ->
                response
                    .map(json -> RestResponse.text(Buffer.buffer(json)))
                    .orElseThrow(
                        () ->
                            new RestError(
                                404,
                                jobs.contains(job)
                                    ? "The archive of job " + job + " has no " + path + "."
                                    : "No job " + job + " is archived.")));
  }
}
