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
 * @param handler runs on the event loop of the request; may throw
 */
record Operation(
    HttpMethod method,
    String path,
    String purpose,
    boolean extension,
    boolean submits,
    Function<RestRequest, CompletableFuture<RestResponse>> handler) {

  /** An operation of Flink's API. */
  static Operation flink(
      HttpMethod method,
      String path,
      String purpose,
      Function<RestRequest, CompletableFuture<RestResponse>> handler) {
    return new Operation(method, path, purpose, false, false, handler);
  }

  /** An operation that only Millrace has. */
  static Operation extension(
      HttpMethod method,
      String path,
      String purpose,
      Function<RestRequest, CompletableFuture<RestResponse>> handler) {
    return new Operation(method, path, purpose, true, false, handler);
  }

  /** This operation, marked as one that brings a program or a job into the cluster. */
  Operation asSubmission() {
    return new Operation(method, path, purpose, extension, true, handler);
  }

  /** This operation, but each request is rejected with the given reason. */
  Operation rejecting(String reason) {
    return new Operation(
        method,
        path,
        purpose,
        extension,
        submits,
        call -> {
          throw new RestError(403, reason);
        });
  }
}
