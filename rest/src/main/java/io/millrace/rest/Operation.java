package io.millrace.rest;

import io.vertx.core.http.HttpMethod;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Something that can be asked for.
 *
 * @param path with parameters such as {@code :jobid}
 * @param purpose one line for the reference page
 * @param ours whether it is unknown to Flink's clients
 * @param intake whether it brings a program or a job into the cluster
 * @param handler runs on the request's event loop; may throw
 */
record Operation(
    HttpMethod method,
    String path,
    String purpose,
    boolean ours,
    boolean intake,
    Function<RestRequest, CompletableFuture<RestResponse>> handler) {

  /** One that Flink's clients know. */
  static Operation known(
      HttpMethod method,
      String path,
      String purpose,
      Function<RestRequest, CompletableFuture<RestResponse>> handler) {
    return new Operation(method, path, purpose, false, false, handler);
  }

  /** One of our own. */
  static Operation own(
      HttpMethod method,
      String path,
      String purpose,
      Function<RestRequest, CompletableFuture<RestResponse>> handler) {
    return new Operation(method, path, purpose, true, false, handler);
  }

  /** This one, as a way for programs and jobs into the cluster. */
  Operation asIntake() {
    return new Operation(method, path, purpose, ours, true, handler);
  }

  /** This one, answered with an error, whatever is asked. */
  Operation refused(String why) {
    return new Operation(
        method,
        path,
        purpose,
        ours,
        intake,
        call -> {
          throw new RestError(403, why);
        });
  }
}
