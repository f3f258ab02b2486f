package io.millrace.soak;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks all JobManagers and takes the answer of the leader. Of several that answer like a leader,
 * that is the one which has begun last: a former one does not know yet. It does not wait for a
 * JobManager that has not answered an earlier request, because that one may be frozen.
 */
final class LeaderRequests {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(5);
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();

  // The fields below are guarded by this object.
  private final Map<String, Endpoint> endpoints = new TreeMap<>();
  private long leaderships;

  /** What is known of a JobManager. */
  private static final class Endpoint {
    private Optional<CompletableFuture<HttpResponse<String>>> open = Optional.empty();
    private boolean leads;

    /** Whether the last request was not answered in time. */
    private boolean silent;

    /** Which of the observed leaderships, of all JobManagers, its last one was. */
    private long leadership;
  }

  /** An answer of the leader. */
  private record LeaderAnswer(String name, long leadership, HttpResponse<String> response) {}

  /**
   * The answer to a GET.
   *
   * @param addresses of REST, by the names of JobManagers
   * @return nothing if no leader answers, or not with a document
   */
  synchronized Optional<JsonNode> get(Map<String, String> addresses, String path)
      throws InterruptedException {
    return ask(addresses, path)
        .map(LeaderAnswer::response)
        .filter(response -> response.statusCode() == OK)
        .map(LeaderRequests::parse);
  }

  /** The name of the JobManager that leads. */
  synchronized Optional<String> leader(Map<String, String> addresses) throws InterruptedException {
    return ask(addresses, "/overview").map(LeaderAnswer::name);
  }

  private static JsonNode parse(HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new SoakException("No JSON from " + response.uri() + ": " + response.body(), e);
    }
  }

  private Optional<LeaderAnswer> ask(Map<String, String> addresses, String path)
      throws InterruptedException {
    List<String> asked = new ArrayList<>();
    addresses.forEach(
        (name, address) -> {
          Endpoint endpoint = endpoints.computeIfAbsent(name, any -> new Endpoint());
          if (endpoint.open.isPresent() && endpoint.open.get().isDone()) {
            // The late answer may be to another path.
            endpoint.silent = hasTimedOut(endpoint.open.get());
            endpoint.open = Optional.empty();
          }
          if (endpoint.open.isEmpty()) {
            endpoint.open = Optional.of(send(address, path));
            if (!endpoint.silent) {
              asked.add(name);
            }
          }
        });
    Optional<LeaderAnswer> newest = Optional.empty();
    long end = System.nanoTime() + ANSWER_BOUND.toNanos();
    for (String name : asked) {
      Optional<LeaderAnswer> answer = answer(name, end);
      if (answer.isPresent()
          && (newest.isEmpty() || newest.get().leadership() < answer.get().leadership())) {
        newest = answer;
      }
    }
    return newest;
  }

  private static boolean hasTimedOut(CompletableFuture<?> request) {
    return request
        .handle((response, failure) -> failure instanceof HttpTimeoutException)
        .getNow(true);
  }

  private CompletableFuture<HttpResponse<String>> send(String address, String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + path))
            .timeout(ANSWER_BOUND.multipliedBy(2))
            .build();
    return http.sendAsync(request, BodyHandlers.ofString());
  }

  /** Waits for an answer, and keeps the request open if there is none. */
  private Optional<LeaderAnswer> answer(String name, long end) throws InterruptedException {
    Endpoint endpoint = endpoints.get(name);
    try {
      HttpResponse<String> response =
          endpoint
              .open
              .orElseThrow()
              .get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      endpoint.open = Optional.empty();
      boolean leads = response.statusCode() == OK || response.statusCode() == NOT_FOUND;
      if (leads && !endpoint.leads) {
        endpoint.leadership = ++leaderships;
      }
      endpoint.leads = leads;
      return leads
          ? Optional.of(new LeaderAnswer(name, endpoint.leadership, response))
          : Optional.empty();
    } catch (TimeoutException silent) {
      endpoint.silent = true;
      return Optional.empty();
    } catch (ExecutionException failed) {
      endpoint.open = Optional.empty();
      if (failed.getCause() instanceof HttpTimeoutException) {
        endpoint.silent = true;
      } else {
        // Its process has ended: it leads anew if it leads again.
        endpoint.leads = false;
      }
      return Optional.empty();
    }
  }
}
