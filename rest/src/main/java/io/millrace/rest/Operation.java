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
 * @param handler runs on the request's event loop; may throw
 */
record Operation(
    HttpMethod method,
    String path,
    String purpose,
    boolean ours,
    Function<Call, CompletableFuture<Reply>> handler) {

  /** One that Flink's clients know. */
  static Operation known(
      HttpMethod method,
      String path,
      String purpose,
      Function<Call, CompletableFuture<Reply>> handler) {
    return new Operation(method, path, purpose, false, handler);
  }

  /** One of our own. */
  static Operation own(
      HttpMethod method,
      String path,
      String purpose,
      Function<Call, CompletableFuture<Reply>> handler) {
    return new Operation(method, path, purpose, true, handler);
  }
}
