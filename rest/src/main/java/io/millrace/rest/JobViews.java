package io.millrace.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.task.TaskState;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Jobs as JSON. */
final class JobViews {
  /** States that clients of Flink expect and that Millrace does not have. Their counts are 0. */
  private static final String RECONCILING = "RECONCILING";

  /** The label of a failure with its kind: USER, RESOURCE, EXTERNAL or BUG. */
  static final String FAILURE_KIND = "KIND";

  private JobViews() {}

  static JsonObject idAndStatus(JobOverview job) {
    return new JsonObject().put("id", job.id().toString()).put("status", job.status().name());
  }

  static JsonObject overview(JobOverview job, long now) {
    TaskTimes times = TaskTimes.of(job.startedAt(), job.endedAt(), now);
    JsonObject tasks = new JsonObject();
    int total = 0;
    for (TaskState state : TaskState.values()) {
      int count = job.tasks().getOrDefault(state, 0);
      tasks.put(state.name().toLowerCase(Locale.ROOT), count);
      total += count;
    }
    tasks.put(RECONCILING.toLowerCase(Locale.ROOT), 0).put("total", total);
    JsonObject json =
        new JsonObject()
            .put("jid", job.id().toString())
            .put("name", job.name())
            .put("jobType", job.type().name())
            .put("schedulerType", "Default")
            .put("start-time", times.start())
            .put("end-time", times.end())
            .put("duration", times.duration())
            .put("state", job.status().name())
            .put("last-modification", job.changedAt())
            .put("tasks", tasks)
            .put("pending-operators", 0);
    job.waitingFor().ifPresent(reason -> putWaitingFor(json, reason));
    return json;
  }

  static JsonObject details(JobDetails job, long now) {
    JobGraph graph = job.graph();
    TaskTimes times = TaskTimes.of(job.startedAt(), job.endedAt(), now);
    JsonObject timestamps = new JsonObject();
    for (JobStatus status : JobStatus.values()) {
      timestamps.put(status.name(), job.timestamps().getOrDefault(status, 0L));
    }
    JsonObject json =
        new JsonObject()
            .put("jid", job.id().toString())
            .put("application-id", job.id().toString())
            .put("name", graph.name())
            .put("isStoppable", false)
            .put("state", job.status().name())
            .put("job-type", graph.type().name())
            .put("schedulerType", "Default")
            .put("start-time", times.start())
            .put("end-time", times.end())
            .put("duration", times.duration())
            .put("maxParallelism", graph.configuration().get(PipelineOptions.MAX_PARALLELISM))
            .put("now", now)
            .put("timestamps", timestamps)
            .put("vertices", Json.array(job.vertices(), vertex -> vertex(graph, vertex, now)))
            .put(
                "status-counts", perState(job.vertices().stream().map(VertexViews::state).toList()))
            .put("plan", Json.decode(Graphs.json(graph)))
            .put("pending-operators", 0);
    job.waitingFor().ifPresent(reason -> putWaitingFor(json, reason));
    return json;
  }

  /** A key that Flink does not have. It is present only while the job waits. */
  private static void putWaitingFor(JsonObject json, Reason reason) {
    json.put("waiting-for", ReasonText.of(reason));
  }

  private static JsonObject vertex(JobGraph graph, VertexDetails details, long now) {
    JobVertex vertex = graph.vertex(details.id());
    TaskTimes times = TaskTimes.of(details.subtasks(), now);
    return new JsonObject()
        .put("id", vertex.id().toString())
        .put("slotSharingGroupId", slotSharingGroup(graph, vertex))
        .put("name", vertex.name())
        .put("maxParallelism", vertex.maxParallelism())
        .put("parallelism", vertex.parallelism())
        .put("status", VertexViews.state(details).name())
        .put("start-time", times.start())
        .put("end-time", times.end())
        .put("duration", times.duration())
        .put("tasks", perState(details.subtasks().stream().map(SubtaskDetails::state).toList()))
        .put("metrics", TaskMetric.sums(details.subtasks()));
  }

  /** Clients expect an id. It is the same for all vertices of a group of a job. */
  private static String slotSharingGroup(JobGraph graph, JobVertex vertex) {
    UUID id =
        UUID.nameUUIDFromBytes(
            (graph.id() + " " + vertex.slotSharingGroup()).getBytes(StandardCharsets.UTF_8));
    return new Id128(id.getMostSignificantBits(), id.getLeastSignificantBits()).toString();
  }

  /** The number of elements per state. */
  static JsonObject perState(List<TaskState> states) {
    JsonObject json = new JsonObject();
    for (TaskState state : TaskState.values()) {
      json.put(state.name(), 0);
    }
    for (TaskState state : states) {
      json.put(state.name(), json.getInteger(state.name()) + 1);
    }
    return json.put(RECONCILING, 0);
  }

  static JsonObject config(JobGraph graph) {
    Configuration configuration = graph.configuration();
    int widest = graph.vertices().stream().mapToInt(JobVertex::parallelism).max().orElse(1);
    JsonObject execution =
        new JsonObject()
            .put("restart-strategy", restartStrategy(configuration))
            .put(
                "job-parallelism",
                configuration.contains(CoreOptions.DEFAULT_PARALLELISM)
                    ? configuration.get(CoreOptions.DEFAULT_PARALLELISM)
                    : widest)
            .put("object-reuse-mode", false)
            .put("user-config", parameters(configuration));
    return new JsonObject()
        .put("jid", graph.id().toString())
        .put("name", graph.name())
        .put("execution-config", execution);
  }

  /** The parameters of the program, under the keys by which it reads them. */
  private static JsonObject parameters(Configuration configuration) {
    String prefix = PipelineOptions.GLOBAL_JOB_PARAMETERS.key() + ".";
    List<String> listed = configuration.get(PipelineOptions.GLOBAL_JOB_PARAMETERS);
    JsonObject json = new JsonObject();
    for (String entry : listed) {
      int colon = entry.indexOf(':');
      if (colon > 0) {
        json.put(entry.substring(0, colon), entry.substring(colon + 1));
      }
    }
    configuration
        .entries()
        .forEach(
            (key, value) -> {
              if (key.startsWith(prefix)) {
                json.put(key.substring(prefix.length()), value);
              } else if (key.startsWith("user.")
                  || listed.stream()
                      .anyMatch(
                          name -> key.equals(name) || name.endsWith(".") && key.startsWith(name))) {
                json.put(key, value);
              }
            });
    return json;
  }

  private static String restartStrategy(Configuration configuration) {
    if (!configuration.contains(RestartStrategyOptions.RESTART_STRATEGY)) {
      return "Cluster level default restart strategy";
    }
    return switch (configuration.get(RestartStrategyOptions.RESTART_STRATEGY)) {
      case NONE -> "No restart";
      case FIXED_DELAY ->
          "Restart after "
              + configuration.get(RestartStrategyOptions.FIXED_DELAY).toMillis()
              + " ms, at most "
              + configuration.get(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS)
              + " times";
      case FAILURE_RATE ->
          "Restart after "
              + configuration.get(RestartStrategyOptions.FAILURE_RATE_DELAY).toMillis()
              + " ms, at most "
              + configuration.get(RestartStrategyOptions.FAILURE_RATE_MAX_FAILURES)
              + " times in "
              + configuration.get(RestartStrategyOptions.FAILURE_RATE_INTERVAL).toMillis()
              + " ms";
      case EXPONENTIAL_DELAY ->
          "Restart after a delay that grows from "
              + configuration.get(RestartStrategyOptions.EXPONENTIAL_INITIAL_BACKOFF).toMillis()
              + " to "
              + configuration.get(RestartStrategyOptions.EXPONENTIAL_MAX_BACKOFF).toMillis()
              + " ms";
    };
  }

  /** The newest failures, at most {@code most}. */
  static JsonObject exceptions(List<RecordedFailure> failures, long most) {
    List<RecordedFailure> shown = failures.stream().limit(most).toList();
    JsonObject history =
        new JsonObject()
            .put("entries", Json.array(shown, JobViews::exception))
            .put("truncated", shown.size() < failures.size());
    return new JsonObject().put("exceptionHistory", history);
  }

  private static JsonObject exception(RecordedFailure recorded) {
    return exception(
            recorded.failure(),
            recorded.at(),
            recorded.task(),
            recorded.worker(),
            recorded.endpoint())
        .put(
            "concurrentExceptions",
            Json.array(
                recorded.concurrent(),
                other ->
                    exception(
                        other.failure(),
                        other.at(),
                        other.task(),
                        other.worker(),
                        other.endpoint())));
  }

  private static JsonObject exception(
      Failure failure, long at, String task, Optional<WorkerId> worker, String endpoint) {
    JsonObject json =
        new JsonObject()
            .put("exceptionName", failure.type())
            .put("stacktrace", stackTrace(failure))
            .put("timestamp", at)
            .put("failureLabels", new JsonObject().put(FAILURE_KIND, failure.kind().name()));
    if (!task.isEmpty()) {
      json.put("taskName", task);
    }
    worker.ifPresent(
        known ->
            json.put("endpoint", endpoint.isEmpty() ? known.value() : endpoint)
                .put("taskManagerId", known.value()));
    return json;
  }

  /** The stack, below a message that adds the operator, the subtask and the record. */
  static String stackTrace(Failure failure) {
    if (failure.stack().isEmpty()) {
      return failure.message();
    }
    return failure.stack().contains(failure.message())
        ? failure.stack()
        : failure.message() + "\nCaused by: " + failure.stack();
  }

  static JsonObject inProgress() {
    return new JsonObject().put("status", new JsonObject().put("id", "IN_PROGRESS"));
  }

  /** The result in the format of Flink. */
  static JsonObject executionResult(JobResult result, JobDetails job) {
    JsonObject json =
        new JsonObject()
            .put("id", result.job().toString())
            .put("name", job.graph().name())
            .put(
                "application-status",
                result.status() == JobStatus.FINISHED ? "SUCCEEDED" : result.status().name())
            .put("accumulator-results", AccumulatorViews.objects(result.accumulators()))
            .put("net-runtime", result.runtimeMillis())
            .put("application-id", result.job().toString())
            .put("start-time", job.startedAt())
            .put("end-time", job.endedAt());
    result
        .failure()
        .ifPresent(
            failure ->
                json.put(
                    "failure-cause",
                    new JsonObject()
                        .put("class", failure.type())
                        .put("stack-trace", stackTrace(failure))
                        .put("serialized-throwable", FlinkObjects.throwable(failure))));
    return new JsonObject()
        .put("status", new JsonObject().put("id", "COMPLETED"))
        .put("job-execution-result", json);
  }

  /** The result in the format of Millrace, with the kind of the failure. */
  static JsonObject result(JobResult result) {
    JsonObject json =
        new JsonObject()
            .put("status", result.status().name())
            .put("runtime", result.runtimeMillis());
    if (!result.accumulators().isEmpty()) {
      // In the codec of graphs, which a client has anyway and which keeps the types of numbers.
      json.put(
          "accumulators",
          Base64.getEncoder()
              .encodeToString(
                  Messages.graphCodec()
                      .encode(
                          new JobResult(
                              result.job(),
                              JobStatus.FINISHED,
                              0,
                              Optional.empty(),
                              result.accumulators()))));
    }
    result
        .failure()
        .ifPresent(
            failure ->
                json.put(
                    "failure",
                    new JsonObject()
                        .put("kind", failure.kind().name())
                        .put("message", failure.message())
                        .put("type", failure.type())
                        .put("stack", failure.stack())));
    return json;
  }
}
