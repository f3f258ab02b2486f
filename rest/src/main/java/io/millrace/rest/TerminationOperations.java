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
        Operation.flink(
            GET,
            "/jobs/:jobid/yarn-cancel",
            "Cancels a job. Only for requests with a bearer token, or from the server's own page.",
            call -> {
              requireOwnClient(call, "PATCH /jobs/:jobid?mode=cancel");
              return JobOperations.cancelJob(call);
            }),
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

  /**
   * Rejects a GET with an effect that a link on another site can cause. A browser adds no bearer
   * token to a link, and says that a request comes from the page of this server.
   *
   * @param instead the request that other clients use
   */
  static void requireOwnClient(RestRequest call, String instead) {
    String authorization = call.header("Authorization");
    boolean hasToken = authorization.regionMatches(true, 0, "Bearer ", 0, "Bearer ".length());
    if (!hasToken && !call.header("Sec-Fetch-Site").equals("same-origin")) {
      throw new RestError(
          403,
          "This GET has an effect, and a link on any page could cause it. Use "
              + instead
              + ", or send a bearer token.");
    }
  }
}
