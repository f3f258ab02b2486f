package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.id.JobId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What can be asked of a history server. */
final class HistoryOperations {
  private static final String VERSIONED = "/v1";

  private final HistoryJobs jobs;
  private final BuildInfo build = BuildInfo.read();

  HistoryOperations(HistoryJobs jobs) {
    this.jobs = jobs;
  }

  List<Operation> table() {
    return List.of(
        Operation.known(
            GET,
            "/config",
            "Settings of the dashboard, version and time zone.",
            call -> answered(Dashboard.ofHistory(build, call.now()))),
        Operation.known(GET, "/overview", "Numbers of jobs.", call -> answered(counts())),
        Operation.known(GET, "/jobs", "Ids and states of all jobs.", call -> answered(ids())),
        Operation.known(
            GET,
            "/jobs/overview",
            "A line about each job.",
            call -> answered(new JsonObject().put("jobs", new JsonArray(jobs.overviews())))),
        Operation.known(GET, "/jobs/:jobid", "What REST told of the job.", this::page),
        Operation.known(GET, "/jobs/:jobid/*", "What REST told of the job.", this::page));
  }

  private static CompletableFuture<RestResponse> answered(JsonObject json) {
    return CompletableFuture.completedFuture(RestResponse.ok(json));
  }

  private JsonObject ids() {
    JsonArray ids = new JsonArray();
    for (JsonObject line : jobs.overviews()) {
      ids.add(
          new JsonObject().put("id", line.getString("jid")).put("status", line.getString("state")));
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
    return jobs.overviews().stream().filter(line -> state.equals(line.getString("state"))).count();
  }

  private CompletableFuture<RestResponse> page(RestRequest call) {
    JobId job = call.job();
    String asked = call.request().path();
    String path = asked.startsWith(VERSIONED) ? asked.substring(VERSIONED.length()) : asked;
    return call.io(() -> jobs.page(job, path))
        .thenApply(
            page ->
                page.map(json -> RestResponse.text(Buffer.buffer(json)))
                    .orElseThrow(
                        () ->
                            new RestError(
                                404,
                                jobs.knows(job)
                                    ? "Of job " + job + " nothing is archived under " + path + "."
                                    : "There is no job " + job + " among those archived.")));
  }
}
