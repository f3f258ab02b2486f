package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Operations that end a job with GET, because YARN's proxy passes no other method on. */
final class TerminationOperations {
  /** The answer of Flink to the mode that it has removed. */
  static final int STOP_REMOVED = 308;

  List<Operation> table() {
    return List.of(
        Operation.flink(GET, "/jobs/:jobid/yarn-cancel", "Cancels a job.", JobOperations::cancelJob)
            .asEffect("PATCH /jobs/:jobid?mode=cancel"),
        Operation.flink(
            GET,
            "/jobs/:jobid/yarn-stop",
            "Answers 308, as Flink does: a job is stopped with `POST /jobs/:jobid/stop`.",
            TerminationOperations::stop));
  }

  private static CompletableFuture<RestResponse> stop(RestRequest call) {
    throw stopRemoved();
  }

  static RestError stopRemoved() {
    return new RestError(
        STOP_REMOVED,
        "Mode 'stop' is not supported. Use 'cancel', or POST /jobs/:jobid/stop to stop the job"
            + " with a savepoint.");
  }
}
