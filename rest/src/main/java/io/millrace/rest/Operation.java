package io.millrace.rest;

import io.vertx.core.http.HttpMethod;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * One operation of the REST API.
 *
 * @param path with parameters such as {@code :jobid}
 * @param purpose one line for the reference page
 * @param extension whether Flink's API does not have it
 * @param submits whether it brings a program or a job into the cluster
 * @param effect whether it is a GET with an effect, which readers may not send
 * @param handler runs on the event loop of the request; may throw
 */
record Operation(
    HttpMethod method,
    String path,
    String purpose,
    boolean extension,
    boolean submits,
    boolean effect,
    Function<RestRequest, CompletableFuture<RestResponse>> handler) {

  /** An operation of Flink's API. */
  static Operation flink(
      HttpMethod method,
      String path,
      String purpose,
      Function<RestRequest, CompletableFuture<RestResponse>> handler) {
    return new Operation(method, path, purpose, false, false, false, handler);
  }

  /** An operation that only Millrace has. */
  static Operation extension(
      HttpMethod method,
      String path,
      String purpose,
      Function<RestRequest, CompletableFuture<RestResponse>> handler) {
    return new Operation(method, path, purpose, true, false, false, handler);
  }

  /** This operation, marked as one that brings a program or a job into the cluster. */
  Operation asSubmission() {
    return new Operation(method, path, purpose, extension, true, effect, handler);
  }

  /**
   * This operation, marked as a GET with an effect. It is for programs with a bearer token and for
   * the server's own page: a link on another site can cause a GET, but a browser adds no bearer
   * token to it, and says that a request comes from the page of this server.
   *
   * @param instead the request that other clients use
   */
  Operation asEffect(String instead) {
    return new Operation(
        method,
        path,
        purpose + " Only for requests with a bearer token, or from the server's own page.",
        extension,
        submits,
        true,
        call -> {
          String authorization = call.header("Authorization");
          boolean hasToken = authorization.regionMatches(true, 0, "Bearer ", 0, "Bearer ".length());
          if (!hasToken && !call.header("Sec-Fetch-Site").equals("same-origin")) {
            throw new RestError(
                403,
                "This GET has an effect, and a link on any page could cause it. Use "
                    + instead
                    + ", or send a bearer token.");
          }
          return handler.apply(call);
        });
  }

  /** This operation, but each request is rejected with the given reason. */
  Operation rejecting(String reason) {
    return new Operation(
        method,
        path,
        purpose,
        extension,
        submits,
        effect,
        call -> {
          throw new RestError(403, reason);
        });
  }
}
