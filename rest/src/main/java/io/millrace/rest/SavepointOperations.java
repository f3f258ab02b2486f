package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.DispatcherGateway.AskDisposal;
import io.millrace.protocol.DispatcherGateway.DescribeJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.DisposeSavepoint;
import io.millrace.protocol.DispatcherGateway.ListJobCheckpoints;
import io.millrace.protocol.DispatcherGateway.StartJobCheckpoint;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** Checkpoints and savepoints of jobs, and stops with a savepoint. */
final class SavepointOperations {
  // Formats of savepoints.
  static final String CANONICAL = "CANONICAL";
  static final String NATIVE = "NATIVE";

  private final RandomGenerator random;

  /**
   * @param random draws the ids of operations that the client does not name
   */
  SavepointOperations(RandomGenerator random) {
    this.random = random;
  }

  List<Operation> table() {
    return List.of(
        Operation.flink(
            GET,
            "/jobs/:jobid/checkpoints",
            "Numbers of checkpoints, the latest ones and a history.",
            this::list),
        Operation.flink(
            POST,
            "/jobs/:jobid/checkpoints",
            "Triggers a checkpoint; `{\"triggerId\": …}` makes a repeated request harmless.",
            this::triggerCheckpoint),
        Operation.flink(
            GET,
            "/jobs/:jobid/checkpoints/config",
            "The options of the job's checkpoints.",
            this::config),
        Operation.flink(
            GET,
            "/jobs/:jobid/checkpoints/details/:checkpointid",
            "A checkpoint with its vertices.",
            this::details),
        Operation.flink(
            GET,
            "/jobs/:jobid/checkpoints/details/:checkpointid/subtasks/:vertexid",
            "A vertex of a checkpoint with its subtasks.",
            this::subtasks),
        Operation.flink(
            GET,
            "/jobs/:jobid/checkpoints/:triggerid",
            "The outcome of a triggered checkpoint.",
            outcome(
                completed -> new JsonObject().put("checkpointId", completed.number()),
                "failureCause")),
        Operation.flink(
            POST,
            "/jobs/:jobid/savepoints",
            "Triggers a savepoint, in `\"target-directory\"` or the configured directory."
                + " `\"formatType\"` is `CANONICAL` (default) or `NATIVE`.",
            this::triggerSavepoint),
        Operation.flink(
            GET,
            "/jobs/:jobid/savepoints/:triggerid",
            "The outcome of a triggered savepoint or stop.",
            outcome(
                completed -> new JsonObject().put("location", completed.directory()),
                "failure-cause")),
        Operation.flink(
            POST,
            "/jobs/:jobid/stop",
            "Stops a job with a savepoint, in `\"targetDirectory\"` or the configured directory;"
                + " with `\"drain\": true` all timers and windows fire before. `\"formatType\"` as"
                + " for a savepoint.",
            this::stop),
        Operation.flink(
            POST, "/savepoint-disposal", "Deletes `\"savepoint-path\"`.", this::dispose),
        Operation.flink(
            GET,
            "/savepoint-disposal/:triggerid",
            "The outcome of the deletion of a savepoint.",
            this::disposal));
  }

  private CompletableFuture<RestResponse> list(RestRequest call) {
    return statistics(call, call.job())
        .thenApply(statistics -> RestResponse.ok(CheckpointViews.statistics(statistics)));
  }

  private static CompletableFuture<CheckpointStatistics> statistics(RestRequest call, JobId job) {
    return call.dispatcher(dispatcher -> dispatcher.listCheckpoints(new ListJobCheckpoints(job)))
        .thenApply(answer -> answer.statistics().orElseThrow(() -> JobOperations.unknown(job)));
  }

  private CompletableFuture<RestResponse> config(RestRequest call) {
    return JobOperations.describe(call, call.job())
        .thenApply(job -> RestResponse.ok(CheckpointViews.config(job.graph().configuration())));
  }

  private CompletableFuture<RestResponse> details(RestRequest call) {
    return describe(call, call.job(), call.checkpoint())
        .thenApply(checkpoint -> RestResponse.ok(CheckpointViews.checkpoint(checkpoint)));
  }

  private CompletableFuture<RestResponse> subtasks(RestRequest call) {
    JobId id = call.job();
    VertexId vertex = call.vertex();
    long number = call.checkpoint();
    return JobOperations.describe(call, id)
        .thenCompose(
            job -> {
              if (job.vertices().stream().noneMatch(known -> known.id().equals(vertex))) {
                throw new RestError(404, "Job " + id + " has no vertex " + vertex + ".");
              }
              return describe(call, id, number);
            })
        .thenApply(
            checkpoint ->
                RestResponse.ok(
                    CheckpointViews.subtasks(checkpoint, vertex)
                        .orElseThrow(
                            () ->
                                new RestError(
                                    404,
                                    "Vertex "
                                        + vertex
                                        + " takes no part in checkpoint "
                                        + number
                                        + ": it had finished."))));
  }

  private static CompletableFuture<CheckpointRecord> describe(
      RestRequest call, JobId job, long number) {
    return call.dispatcher(
            dispatcher -> dispatcher.describeCheckpoint(new DescribeJobCheckpoint(job, number)))
        .thenCompose(
            answer ->
                answer
                    .checkpoint()
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(() -> missing(call, job, number)));
  }

  /** Fails with what is not known: the job or the checkpoint. */
  private static CompletableFuture<CheckpointRecord> missing(
      RestRequest call, JobId job, long number) {
    return statistics(call, job)
        .thenApply(
            known -> {
              throw new RestError(
                  404, "Job " + job + " has no statistics of checkpoint " + number + ".");
            });
  }

  private CompletableFuture<RestResponse> triggerCheckpoint(RestRequest call) {
    JobId job = call.job();
    return call.json()
        .thenCompose(
            json -> {
              BodyFields body = new BodyFields(json);
              String type = body.text("checkpointType").orElse("CONFIGURED");
              if (!type.equals("CONFIGURED") && !type.equals("FULL")) {
                throw new RestError(
                    400, "'checkpointType' must be CONFIGURED or FULL, not '" + type + "'.");
              }
              return start(
                  call,
                  new StartJobCheckpoint(
                      job, operation(body), CheckpointRequest.Type.CHECKPOINT, Optional.empty()));
            });
  }

  private CompletableFuture<RestResponse> triggerSavepoint(RestRequest call) {
    JobId job = call.job();
    return call.json()
        .thenCompose(
            json -> {
              BodyFields body = new BodyFields(json);
              if (body.flag("cancel-job")) {
                throw new RestError(
                    400,
                    "A savepoint does not cancel the job. Stop the job with a savepoint by POST"
                        + " /jobs/"
                        + job
                        + "/stop.");
              }
              return start(
                  call,
                  new StartJobCheckpoint(
                      job,
                      operation(body),
                      inFormat(body, CheckpointRequest.Type.SAVEPOINT),
                      body.text("target-directory")));
            });
  }

  private CompletableFuture<RestResponse> stop(RestRequest call) {
    JobId job = call.job();
    return call.json()
        .thenCompose(
            json -> {
              BodyFields body = new BodyFields(json);
              return start(
                  call,
                  new StartJobCheckpoint(
                      job,
                      operation(body),
                      inFormat(
                          body,
                          body.flag("drain")
                              ? CheckpointRequest.Type.SAVEPOINT_DRAIN
                              : CheckpointRequest.Type.SAVEPOINT_SUSPEND),
                      body.text("targetDirectory")));
            });
  }

  private static CheckpointRequest.Type inFormat(BodyFields body, CheckpointRequest.Type type) {
    String format = body.text("formatType").orElse(CANONICAL);
    return switch (format) {
      case CANONICAL -> type;
      case NATIVE -> type.inNativeFormat();
      default ->
          throw new RestError(
              400, "Savepoints are in the format CANONICAL or NATIVE, not in '" + format + "'.");
    };
  }

  private static CompletableFuture<RestResponse> start(
      RestRequest call, StartJobCheckpoint request) {
    JobId job = request.job();
    return call.dispatcher(dispatcher -> dispatcher.startCheckpoint(request))
        .thenApply(
            reply ->
                switch (reply.outcome()) {
                  case ACCEPTED -> accepted(request.operation());
                  case NOT_FOUND -> throw JobOperations.unknown(job);
                  case NOT_STARTED ->
                      throw new RestError(409, "Job " + job + " does not run yet. Try again.");
                  case ENDED ->
                      throw new RestError(
                          409, "Job " + job + " has already ended: it has no more checkpoints.");
                });
  }

  private synchronized Id128 operation(BodyFields body) {
    return body.parsed("triggerId", Id128::parse).orElseGet(() -> Id128.random(random));
  }

  private static RestResponse accepted(Id128 operation) {
    return RestResponse.json(202, new JsonObject().put("request-id", operation.toString()));
  }

  private static Function<RestRequest, CompletableFuture<RestResponse>> outcome(
      Function<CompletedCheckpoint, JsonObject> view, String failureField) {
    return call -> {
      JobId job = call.job();
      Id128 trigger = call.trigger();
      return statistics(call, job)
          .thenApply(
              statistics -> {
                CheckpointOperation operation =
                    statistics
                        .operation(trigger)
                        .orElseThrow(
                            () ->
                                new RestError(
                                    404,
                                    "Job "
                                        + job
                                        + " knows no operation "
                                        + trigger
                                        + ". Operations do not survive a change of the leading"
                                        + " JobManager."));
                if (!operation.isDone()) {
                  return RestResponse.ok(CheckpointViews.inProgress());
                }
                return RestResponse.ok(
                    CheckpointViews.completed(
                        operation
                            .failure()
                            .map(
                                failure ->
                                    new JsonObject()
                                        .put(failureField, CheckpointViews.failure(failure)))
                            .orElseGet(() -> view.apply(operation.completed().orElseThrow()))));
              });
    };
  }

  private CompletableFuture<RestResponse> dispose(RestRequest call) {
    return call.json()
        .thenCompose(
            json -> {
              BodyFields body = new BodyFields(json);
              String path =
                  body.text("savepoint-path")
                      .orElseThrow(
                          () ->
                              new RestError(
                                  400, "The body lacks the text field 'savepoint-path'."));
              Id128 operation = operation(body);
              return call.dispatcher(
                      dispatcher ->
                          dispatcher.disposeSavepoint(new DisposeSavepoint(operation, path)))
                  .thenApply(
                      done ->
                          RestResponse.ok(
                              new JsonObject().put("request-id", operation.toString())));
            });
  }

  private CompletableFuture<RestResponse> disposal(RestRequest call) {
    Id128 trigger = call.trigger();
    return call.dispatcher(dispatcher -> dispatcher.askDisposal(new AskDisposal(trigger)))
        .thenApply(
            answer -> {
              if (!answer.known()) {
                throw new RestError(
                    404, "No deletion of a savepoint is known by the id " + trigger + ".");
              }
              return RestResponse.ok(
                  answer.done()
                      ? CheckpointViews.completed(
                          answer
                              .failure()
                              .map(
                                  failure ->
                                      new JsonObject()
                                          .put("failure-cause", CheckpointViews.failure(failure)))
                              .orElseGet(JsonObject::new))
                      : CheckpointViews.inProgress());
            });
  }
}
