package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.millrace.core.OrderedCopies;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Streams of server-sent events for the web page. A client names resources of this REST API, and
 * receives each of them at once and again whenever it has changed. A client that reads slowly
 * misses intermediate states, never the last one.
 */
final class EventStreams {
  static final String PATH = "/events";

  /** A browser holds one stream per visible tab. */
  static final int MAX_STREAMS = 64;

  static final int MAX_RESOURCES = 16;

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** Proxies close connections on which nothing is sent. */
  private static final int ROUNDS_BETWEEN_COMMENTS = 15;

  private final List<Operation> operations;

  /** Streams of different connections may be on different event loops. */
  private final AtomicInteger open = new AtomicInteger();

  /**
   * @param operations the operations whose results can be watched
   */
  EventStreams(List<Operation> operations) {
    this.operations = OrderedCopies.list(operations);
  }

  List<Operation> table() {
    return List.of(
        Operation.extension(
            GET,
            PATH,
            "A stream of server-sent events: each `resource` (`?resource=/overview&resource=…`) at"
                + " once, as `{\"resource\": …, \"status\": …, \"body\": …}`, and whenever it changes,"
                + " then with its `changes` if they are shorter than its body.",
            this::stream));
  }

  private CompletableFuture<RestResponse> stream(RestRequest call) {
    Set<String> names = new LinkedHashSet<>(call.queries("resource"));
    if (names.isEmpty() || names.size() > MAX_RESOURCES) {
      throw new RestError(
          400, "Name 1 to " + MAX_RESOURCES + " resources, as in /events?resource=/overview.");
    }
    List<WatchedResource> resources = new ArrayList<>();
    names.forEach(name -> resources.add(WatchedResource.of(name, operations)));
    if (open.incrementAndGet() > MAX_STREAMS) {
      open.decrementAndGet();
      throw new RestError(
          503, "There are already " + MAX_STREAMS + " event streams. Close some pages.");
    }
    return new Stream(call, resources).start();
  }

  /** One stream. Confined to the event loop of its request. */
  private final class Stream {
    private final RestRequest call;
    private final List<WatchedResource> resources;
    private final HttpServerResponse response;
    private final CompletableFuture<RestResponse> ended = new CompletableFuture<>();
    private final Map<WatchedResource, Sent> sent = new LinkedHashMap<>();
    private final Set<WatchedResource> pending = new LinkedHashSet<>();
    private long round;
    private boolean closed;

    Stream(RestRequest call, List<WatchedResource> resources) {
      this.call = call;
      this.resources = resources;
      this.response = call.request().response();
    }

    CompletableFuture<RestResponse> start() {
      response.closeHandler(nothing -> close());
      response.exceptionHandler(failure -> close());
      response
          .setChunked(true)
          .putHeader("Content-Type", "text/event-stream; charset=UTF-8")
          .putHeader("Cache-Control", "no-store")
          .putHeader("X-Accel-Buffering", "no")
          .putHeader("X-Content-Type-Options", "nosniff")
          .putHeader("Cross-Origin-Resource-Policy", "same-origin");
      response.write("retry: 2000\n\n");
      sendChanges();
      return ended;
    }

    private void close() {
      if (!closed) {
        closed = true;
        open.decrementAndGet();
        ended.complete(RestResponse.empty(200));
      }
    }

    private void sendChanges() {
      if (closed) {
        return;
      }
      if (round++ % ROUNDS_BETWEEN_COMMENTS == 0) {
        response.write(":\n\n");
      }
      for (WatchedResource resource : resources) {
        // The answer of a slow resource is awaited: requests for it do not pile up.
        if (pending.add(resource)) {
          read(resource)
              .thenAccept(
                  reply -> {
                    pending.remove(resource);
                    send(resource, reply);
                  });
        }
      }
      call.after(INTERVAL, this::sendChanges);
    }

    private CompletableFuture<RestResponse> read(WatchedResource resource) {
      CompletableFuture<RestResponse> reply;
      try {
        reply = resource.operation().handler().apply(call.forResource(resource));
      } catch (RuntimeException e) {
        reply = CompletableFuture.failedFuture(e);
      }
      return reply.exceptionally(
          failure -> ErrorResponses.reply("GET " + resource.text(), failure));
    }

    private void send(WatchedResource resource, RestResponse reply) {
      Sent last = sent.get(resource);
      if (closed || response.writeQueueFull() || last != null && last.has(reply)) {
        return;
      }
      Sent current = Sent.of(reply);
      sent.put(resource, current);
      Optional<Buffer> changes = Optional.ofNullable(last).flatMap(current::changesSince);
      // The encoder writes no line breaks, which would end the event.
      response.write(
          Buffer.buffer("data: {\"resource\":")
              .appendString(quoted(resource.text()))
              .appendString(",\"status\":" + reply.status())
              .appendString(changes.isPresent() ? ",\"changes\":" : ",\"body\":")
              .appendBuffer(changes.orElse(current.body()))
              .appendString("}\n\n"));
    }

    private static String quoted(String text) {
      String object = Json.encode(new JsonObject().put("r", text)).toString();
      return object.substring("{\"r\":".length(), object.length() - 1);
    }
  }

  /** What a client has received last of a resource. */
  private record Sent(int status, Buffer body, Object json) {
    static Sent of(RestResponse reply) {
      Object json = Json.value(reply.body());
      return new Sent(reply.status(), json == null ? Buffer.buffer("null") : reply.body(), json);
    }

    boolean has(RestResponse reply) {
      return status == reply.status() && body.equals(reply.body());
    }

    /** Empty if the whole body is not longer. */
    Optional<Buffer> changesSince(Sent last) {
      if (status != last.status || json == null || last.json == null) {
        return Optional.empty();
      }
      return JsonChanges.between(last.json, json)
          .map(Json::encodeValue)
          .filter(changes -> changes.length() < body.length());
    }
  }
}
