package io.millrace.rest;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A resource whose changes an {@link EventStreams event stream} sends: an operation that only
 * reads, with its parameters.
 *
 * @param text as the client named it, such as {@code /jobs/overview}
 */
record WatchedResource(
    String text,
    String path,
    Operation operation,
    Map<String, String> pathParameters,
    Map<String, List<String>> queryParameters) {
  private static final int MAX_LENGTH = 500;

  /** Long polls and downloads: an event stream would repeat them for nothing. */
  private static final List<String> NOT_WATCHED =
      List.of(
          "/",
          "/events",
          "/web/*",
          "/jobs/:jobid/collected/:name",
          "/jobs/:jobid/result",
          "/blobs");

  /** Fails if no operation that only reads has this path. */
  static WatchedResource of(String text, List<Operation> operations) {
    if (text.length() > MAX_LENGTH) {
      throw new RestError(400, "A resource has at most " + MAX_LENGTH + " characters.");
    }
    QueryStringDecoder decoder = new QueryStringDecoder(text);
    for (Operation operation : operations) {
      if (operation.method().equals(HttpMethod.GET) && isWatched(operation.path())) {
        Optional<Map<String, String>> parameters = match(operation.path(), decoder.path());
        if (parameters.isPresent()) {
          return new WatchedResource(
              text, decoder.path(), operation, parameters.get(), decoder.parameters());
        }
      }
    }
    throw new RestError(400, "There is no resource '" + text + "' to watch.");
  }

  private static boolean isWatched(String path) {
    return !NOT_WATCHED.contains(path) && !ProcessOperations.downloads().contains(path);
  }

  private static Optional<Map<String, String>> match(String pattern, String path) {
    String[] expected = pattern.split("/", -1);
    String[] given = path.split("/", -1);
    Map<String, String> parameters = new LinkedHashMap<>();
    for (int i = 0; i < expected.length; i++) {
      if (expected[i].equals("*")) {
        return Optional.of(parameters);
      }
      if (i >= given.length) {
        return Optional.empty();
      }
      if (expected[i].startsWith(":")) {
        parameters.put(expected[i].substring(1), given[i]);
      } else if (!expected[i].equals(given[i])) {
        return Optional.empty();
      }
    }
    return expected.length == given.length ? Optional.of(parameters) : Optional.empty();
  }
}
