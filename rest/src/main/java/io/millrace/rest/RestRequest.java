package io.millrace.rest;

import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.ProcessGateway;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.WorkerInfo;
import io.millrace.rpc.journal.JournalEntry;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** One request. Confined to its event loop; all results complete there. */
final class RestRequest {
  /** JSON bodies are small; large content is uploaded as a blob. */
  private static final int MAX_JSON_BYTES = 1 << 20;

  private final Target target;
  private final Context loop;
  private final ClusterGateways cluster;
  private final RestSettings settings;
  private final List<Consumer<RestError>> bodyFailureListeners = new ArrayList<>();

  /**
   * What is requested.
   *
   * @param http the request of the client; empty if the server repeats it for an event stream
   */
  private record Target(
      Optional<HttpServerRequest> http,
      String path,
      Function<String, String> pathParameters,
      Function<String, List<String>> queryParameters) {}

  RestRequest(RoutingContext http, ClusterGateways cluster, RestSettings settings) {
    this(
        new Target(
            Optional.of(http.request()),
            http.request().path(),
            http::pathParam,
            name -> http.queryParam(name)),
        http.vertx().getOrCreateContext(),
        cluster,
        settings);
  }

  private RestRequest(Target target, Context loop, ClusterGateways cluster, RestSettings settings) {
    this.target = target;
    this.loop = loop;
    this.cluster = cluster;
    this.settings = settings;
  }

  /** A request without headers and body for another resource, by the same client. */
  RestRequest forResource(WatchedResource resource) {
    return new RestRequest(
        new Target(
            Optional.empty(),
            resource.path(),
            name -> resource.pathParameters().get(name),
            name -> resource.queryParameters().getOrDefault(name, List.of())),
        loop,
        cluster,
        settings);
  }

  RestSettings settings() {
    return settings;
  }

  HttpServerRequest request() {
    return target
        .http()
        .orElseThrow(() -> new IllegalStateException("An event stream has no body to read"));
  }

  /** The path with its parameters filled in. */
  String requestedPath() {
    return target.path();
  }

  /** All values of a query parameter. */
  List<String> queries(String name) {
    return target.queryParameters().apply(name);
  }

  /** The wall-clock time, for responses with durations. */
  long now() {
    return cluster.env().wallMillis();
  }

  /** Appends to the journal of this process, in which the Dispatcher writes while it leads here. */
  void record(JournalEntry entry) {
    cluster.env().journal().append(entry);
  }

  JobId job() {
    return parsed("jobid", JobId::parse);
  }

  /** An application, which has the id of its job. */
  JobId application() {
    return parsed("applicationid", JobId::parse);
  }

  /** A header; empty if the request has none. */
  String header(String name) {
    return target.http().map(request -> request.getHeader(name)).orElse("");
  }

  VertexId vertex() {
    return parsed("vertexid", VertexId::parse);
  }

  DataSetId dataSet() {
    return parsed("datasetid", DataSetId::parse);
  }

  Id128 trigger() {
    return parsed("triggerid", Id128::parse);
  }

  /** The number of a checkpoint. */
  long checkpoint() {
    return parsed(
        "checkpointid",
        text -> {
          try {
            return Long.parseLong(text);
          } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                "The number of a checkpoint is expected, not '" + text + "'", e);
          }
        });
  }

  BlobKey blob() {
    return parsed("sha256", BlobKey::new);
  }

  String path(String name) {
    return target.pathParameters().apply(name);
  }

  private <T> T parsed(String name, Function<String, T> parser) {
    try {
      return parser.apply(path(name));
    } catch (IllegalArgumentException e) {
      throw new RestError(400, "Path parameter " + name + ": " + e.getMessage() + ".", e);
    }
  }

  /** A query parameter; an empty one is treated as absent. */
  Optional<String> query(String name) {
    return target.queryParameters().apply(name).stream()
        .findFirst()
        .filter(value -> !value.isEmpty());
  }

  long number(String name, long fallback) {
    String text = query(name).orElse(String.valueOf(fallback));
    try {
      long number = Long.parseLong(text);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw notANumber(name, text, e);
    }
    throw notANumber(name, text, null);
  }

  /** A query parameter that is false if absent. */
  boolean flag(String name) {
    String text = query(name).orElse("false");
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new RestError(
              400, "Query parameter " + name + " must be true or false, not '" + text + "'.");
    };
  }

  /** One of the constants of an enum, in any case. */
  <E extends Enum<E>> E choice(String name, String text, Class<E> type) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equalsIgnoreCase(text)) {
        return constant;
      }
    }
    throw new RestError(
        400,
        "Query parameter "
            + name
            + " must be one of "
            + Arrays.toString(type.getEnumConstants())
            + ", not '"
            + text
            + "'.");
  }

  private static RestError notANumber(String name, String text, Exception cause) {
    return new RestError(
        400, "Query parameter " + name + " must be a number from 0, not '" + text + "'.", cause);
  }

  /** How long the client waits for a result, at most the longest wait of the settings. */
  Duration waitTime() {
    long requested = number("wait", 0);
    return requested >= settings.longestWait().toMillis()
        ? settings.longestWait()
        : Duration.ofMillis(requested);
  }

  /** The body as a JSON object. */
  CompletableFuture<JsonObject> json() {
    CompletableFuture<JsonObject> json = new CompletableFuture<>();
    Buffer body = Buffer.buffer();
    request()
        .handler(
            part -> {
              if (body.length() + part.length() > MAX_JSON_BYTES) {
                json.completeExceptionally(
                    new RestError(413, "A JSON body has at most " + MAX_JSON_BYTES + " bytes."));
              } else {
                body.appendBuffer(part);
              }
            });
    onBodyFailure(json::completeExceptionally);
    request()
        .endHandler(
            nothing -> {
              try {
                json.complete(Json.decode(body));
              } catch (RestError e) {
                json.completeExceptionally(e);
              }
            });
    return json;
  }

  /** Calls the listener if the rest of the body does not arrive or cannot be decoded. */
  void onBodyFailure(Consumer<RestError> listener) {
    bodyFailureListeners.add(listener);
    request()
        .exceptionHandler(
            failure -> {
              RestError error = new RestError(400, "The body could not be read.", failure);
              bodyFailureListeners.forEach(each -> each.accept(error));
            });
  }

  /** The length of the body according to its header; 0 if the header is absent or invalid. */
  long announcedLength() {
    String length = header("Content-Length");
    return length.matches("\\d{1,18}") ? Long.parseLong(length) : 0;
  }

  RestError tooLarge() {
    return new RestError(
        413,
        "The body has more than the "
            + settings.maxContentLength()
            + " bytes that rest.server.max-content-length allows.");
  }

  <T> CompletableFuture<T> dispatcher(Function<DispatcherGateway, CompletableFuture<T>> call) {
    return onEventLoop(cluster.dispatcher(call));
  }

  <T> CompletableFuture<T> resourceManager(
      Function<ResourceManagerGateway, CompletableFuture<T>> call) {
    return onEventLoop(cluster.resourceManager(call));
  }

  /** Looks into the process of a TaskManager. Results complete in the mailbox of REST. */
  ProcessGateway process(WorkerInfo worker, Duration timeout) {
    return cluster.process(worker, timeout);
  }

  /** Runs work on the event loop of this request after a time. */
  void after(Duration delay, Runnable work) {
    loop.owner().setTimer(delay.toMillis(), due -> loop.runOnContext(nothing -> work.run()));
  }

  /** Runs blocking work on an io thread. */
  <T> CompletableFuture<T> io(Callable<T> work) {
    return onEventLoop(cluster.io(work));
  }

  /** A future that completes with the same result on the event loop of this request. */
  <T> CompletableFuture<T> onEventLoop(CompletableFuture<T> future) {
    CompletableFuture<T> onLoop = new CompletableFuture<>();
    future.whenComplete(
        (value, failure) ->
            loop.runOnContext(
                nothing -> {
                  if (failure != null) {
                    onLoop.completeExceptionally(failure);
                  } else {
                    onLoop.complete(value);
                  }
                }));
    return onLoop;
  }
}
