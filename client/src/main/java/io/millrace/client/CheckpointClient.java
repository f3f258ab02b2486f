package io.millrace.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import java.util.Optional;

/**
 * Starts checkpoints, savepoints and stops at a cluster and asks for their outcomes. Calls block
 * and fail with a {@link MillraceException}.
 */
public final class CheckpointClient {
  private final RestRequests rest;

  CheckpointClient(RestRequests rest) {
    this.rest = rest;
  }

  /**
   * An operation that the cluster has accepted.
   *
   * @param path where its outcome is
   */
  public record StartedOperation(String path) {}

  /** Starts a checkpoint. Its result is {@code checkpointId}. */
  public StartedOperation checkpoint(JobId job) {
    return start("/jobs/" + job + "/checkpoints", object(), "/jobs/" + job + "/checkpoints/");
  }

  /** Starts a savepoint. Its result is {@code location}. */
  public StartedOperation savepoint(SavepointRequest request) {
    ObjectNode body = body(request);
    request.directory().ifPresent(directory -> body.put("target-directory", directory));
    String path = "/jobs/" + request.job() + "/savepoints";
    return start(path, body, path + "/");
  }

  /**
   * Starts to stop a job with a savepoint. Its result is {@code location}.
   *
   * @param drain whether all timers and windows fire before
   */
  public StartedOperation stop(SavepointRequest request, boolean drain) {
    ObjectNode body = body(request).put("drain", drain);
    request.directory().ifPresent(directory -> body.put("targetDirectory", directory));
    String job = "/jobs/" + request.job();
    return start(job + "/stop", body, job + "/savepoints/");
  }

  private static ObjectNode body(SavepointRequest request) {
    ObjectNode body = object();
    return request.format() == SavepointRequest.Format.CANONICAL
        ? body
        : body.put("formatType", request.format().name());
  }

  /** Starts to delete a savepoint. It has no result. */
  public StartedOperation dispose(String path) {
    return start(
        "/savepoint-disposal", object().put("savepoint-path", path), "/savepoint-disposal/");
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private StartedOperation start(String path, ObjectNode body, String outcomes) {
    JsonNode answer = rest.call("POST", path, RestHttpClient.Body.json(body.toString()));
    return new StartedOperation(outcomes + answer.path("request-id").asText());
  }

  /**
   * The result of an operation: {@code location}, {@code checkpointId} or an empty text. Empty
   * while it is in progress; throws if it has failed.
   */
  public Optional<String> result(StartedOperation operation) {
    JsonNode answer = rest.get(operation.path());
    if (!answer.path("status").path("id").asText().equals("COMPLETED")) {
      return Optional.empty();
    }
    JsonNode result = answer.path("operation");
    for (String field : new String[] {"failure-cause", "failureCause"}) {
      if (result.path(field).isObject()) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            result.path(field).path("stack-trace").asText("The cluster has reported no reason."));
      }
    }
    return Optional.of(result.path("location").asText(result.path("checkpointId").asText("")));
  }

  /**
   * The progress of the newest checkpoint of a job.
   *
   * @param acknowledged how many of its tasks have stored their state
   */
  public record CheckpointState(
      long number, String status, int acknowledged, int tasks, long bytes) {}

  /** The newest checkpoint or savepoint of a job, if there is one. */
  public Optional<CheckpointState> newest(JobId job) {
    JsonNode newest = rest.get("/jobs/" + job + "/checkpoints").path("history").path(0);
    return newest.isObject()
        ? Optional.of(
            new CheckpointState(
                newest.path("id").asLong(),
                newest.path("status").asText(),
                newest.path("num_acknowledged_subtasks").asInt(),
                newest.path("num_subtasks").asInt(),
                newest.path("state_size").asLong()))
        : Optional.empty();
  }
}
