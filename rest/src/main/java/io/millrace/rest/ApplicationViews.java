package io.millrace.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobOverview;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Applications of one job each as JSON. */
final class ApplicationViews {
  private static final List<String> STATES =
      List.of("CREATED", "RUNNING", "FAILING", "FAILED", "CANCELING", "CANCELED", "FINISHED");

  private ApplicationViews() {}

  static JsonObject overview(JobOverview job, long now) {
    return described(job, now).put("jobs", new JsonObject().put(job.status().name(), 1));
  }

  private static JsonObject described(JobOverview job, long now) {
    TaskTimes times = TaskTimes.of(job.startedAt(), job.endedAt(), now);
    return new JsonObject()
        .put("id", job.id().toString())
        .put("name", name(job.name()))
        .put("start-time", times.start())
        .put("end-time", times.end())
        .put("duration", times.duration())
        .put("status", state(job.status()));
  }

  /** An application by the archived overview of its job. */
  static JsonObject archived(JsonObject job) {
    String state = job.getString("state");
    return new JsonObject()
        .put("id", job.getString("jid"))
        .put("name", name(job.getString("name")))
        .put("start-time", job.getLong("start-time"))
        .put("end-time", job.getLong("end-time"))
        .put("duration", job.getLong("duration"))
        .put("status", state)
        .put("jobs", new JsonObject().put(state, 1));
  }

  private static String name(String job) {
    return "SingleJobApplication(" + job + ")";
  }

  static JsonObject details(JobDetails job, JobOverview overview, long now) {
    JsonObject timestamps = new JsonObject();
    STATES.forEach(state -> timestamps.put(state, 0L));
    timestamps.put("CREATED", job.startedAt()).put("RUNNING", job.startedAt());
    job.timestamps()
        .forEach(
            (status, at) -> {
              String state = state(status);
              if (!state.equals("RUNNING")) {
                timestamps.put(state, at);
              }
            });
    return described(overview, now)
        .put("timestamps", timestamps)
        .put("jobs", new JsonArray().add(JobViews.overview(overview, now)));
  }

  static JsonObject exceptions(JobDetails job, long most) {
    JsonArray entries = new JsonArray();
    if (job.status() == JobStatus.FAILED && !job.failures().isEmpty() && most > 0) {
      RecordedFailure last = job.failures().get(0);
      entries.add(
          new JsonObject()
              .put("exceptionName", last.failure().type())
              .put("stacktrace", JobViews.stackTrace(last.failure()))
              .put("timestamp", last.at())
              .put("jobId", job.id().toString()));
    }
    return new JsonObject().put("exceptionHistory", new JsonObject().put("entries", entries));
  }

  /** An application runs from its submission on, and ends with its job. */
  private static String state(JobStatus status) {
    return switch (status) {
      case FAILING, FAILED, CANCELED, FINISHED -> status.name();
      case CANCELLING -> "CANCELING";
      default -> "RUNNING";
    };
  }
}
