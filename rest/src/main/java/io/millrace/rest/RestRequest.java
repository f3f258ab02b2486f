package io.millrace.rest;

import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.rpc.journal.JournalEntry;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** One request. Lives on its event loop; whatever it asks for comes back there. */
final class RestRequest {
  /** JSON bodies say what to do; what is big comes as a blob. */
  private static final int MAX_JSON = 1 << 20;

  private final RoutingContext http;
  private final Context loop;
  private final ClusterGateways cluster;
  private final RestSettings settings;
  private final List<Consumer<RestError>> whenBroken = new ArrayList<>();

  RestRequest(RoutingContext http, ClusterGateways cluster, RestSettings settings) {
    this.http = http;
    this.loop = http.vertx().getOrCreateContext();
    this.cluster = cluster;
    this.settings = settings;
  }

  RestSettings settings() {
    return settings;
  }

  HttpServerRequest request() {
    return http.request();
  }

  /** The time for answers that show how long something has lasted. */
  long now() {
    return cluster.env().wallMillis();
  }

  /** Writes into the journal of this process, which is the Dispatcher's while it leads here. */
  void record(JournalEntry entry) {
    cluster.env().journal().append(entry);
  }

  JobId job() {
    return parsed("jobid", JobId::parse);
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

  BlobKey blob() {
    return parsed("sha256", BlobKey::new);
  }

  String path(String name) {
    return http.pathParam(name);
  }

  private <T> T parsed(String name, Function<String, T> parser) {
    try {
      return parser.apply(path(name));
    } catch (IllegalArgumentException e) {
      throw new RestError(400, "Path parameter " + name + ": " + e.getMessage() + ".", e);
    }
  }

  /** A query parameter; one that is there but empty counts as absent. */
  Optional<String> query(String name) {
    return http.queryParam(name).stream().findFirst().filter(value -> !value.isEmpty());
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

  /** Absent means no. */
  boolean flag(String name) {
    String text = query(name).orElse("false");
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new RestError(
              400, "Query parameter " + name + " wants true or false, not '" + text + "'.");
    };
  }

  private static RestError notANumber(String name, String text, Exception cause) {
    return new RestError(
        400, "Query parameter " + name + " wants a number from 0, not '" + text + "'.", cause);
  }

  /** How long the caller would wait for an answer; waits longer than ours are cut short. */
  Duration patience() {
    long asked = number("wait", 0);
    return asked >= settings.longestWait().toMillis()
        ? settings.longestWait()
        : Duration.ofMillis(asked);
  }

  /** The body as a JSON object. */
  CompletableFuture<JsonObject> json() {
    CompletableFuture<JsonObject> json = new CompletableFuture<>();
    Buffer body = Buffer.buffer();
    request()
        .handler(
            part -> {
              if (body.length() + part.length() > MAX_JSON) {
                json.completeExceptionally(
                    new RestError(413, "A JSON body has at most " + MAX_JSON + " bytes."));
              } else {
                body.appendBuffer(part);
              }
            });
    whenBroken(json::completeExceptionally);
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

  /** Tells when the rest of the request will not come, or cannot be understood. */
  void whenBroken(Consumer<RestError> listener) {
    whenBroken.add(listener);
    request()
        .exceptionHandler(
            failure -> {
              RestError broken = new RestError(400, "The body could not be read.", failure);
              whenBroken.forEach(one -> one.accept(broken));
            });
  }

  RestError tooLarge() {
    return new RestError(
        413,
        "The body has more than the "
            + settings.maxContentLength()
            + " bytes that rest.server.max-content-length allows.");
  }

  <T> CompletableFuture<T> dispatcher(Function<DispatcherGateway, CompletableFuture<T>> question) {
    return backHere(cluster.dispatcher(question));
  }

  <T> CompletableFuture<T> resourceManager(
      Function<ResourceManagerGateway, CompletableFuture<T>> question) {
    return backHere(cluster.resourceManager(question));
  }

  /** Runs blocking work. */
  <T> CompletableFuture<T> io(Callable<T> work) {
    return backHere(cluster.io(work));
  }

  /** The same future, completed on this request's event loop. */
  <T> CompletableFuture<T> backHere(CompletableFuture<T> elsewhere) {
    CompletableFuture<T> here = new CompletableFuture<>();
    elsewhere.whenComplete(
        (value, failure) ->
            loop.runOnContext(
                nothing -> {
                  if (failure != null) {
                    here.completeExceptionally(failure);
                  } else {
                    here.complete(value);
                  }
                }));
    return here;
  }
}
