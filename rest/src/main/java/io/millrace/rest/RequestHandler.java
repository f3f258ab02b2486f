package io.millrace.rest;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where requests come in: refuses what must not be, finds the operation, writes the answer. */
final class RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);
  private static final List<String> PREFIXES = List.of("", "/v1");

  /** Whoever stands before us may have read another one of them than we would. */
  private static final List<String> SINGLE_HEADERS = List.of("Host", "Origin", "Authorization");

  private static final Duration LINGER = Duration.ofSeconds(2);

  private final Vertx vertx;
  private final Router router;
  private final ClusterGateways cluster;
  private final RestSettings settings;
  private final ConnectionLimiter connections;
  private final CrossSiteCheck guard;

  RequestHandler(
      Vertx vertx,
      ClusterGateways cluster,
      RestSettings settings,
      ConnectionLimiter connections,
      List<Operation> operations) {
    this.vertx = vertx;
    this.router = Router.router(vertx);
    this.cluster = cluster;
    this.settings = settings;
    this.connections = connections;
    this.guard = new CrossSiteCheck(settings.address());
    router.route().handler(this::admit);
    for (String prefix : PREFIXES) {
      for (Operation operation : operations) {
        router
            .route(operation.method(), prefix + operation.path())
            .handler(http -> serve(http, operation));
      }
    }
    router.errorHandler(400, http -> send(http.request(), malformed()));
    router.errorHandler(404, http -> send(http.request(), unknownPath(http)));
    router.errorHandler(405, http -> send(http.request(), wrongMethod(http)));
    router.errorHandler(500, this::failed);
  }

  private static void failed(Throwable failure) {
    if (failure instanceof SSLException) {
      String said = String.valueOf(failure.getMessage());
      // Netty quotes what came instead, which may well be a token.
      LOG.info(
          "A client could not be talked to over TLS: {}",
          said.startsWith("not an SSL/TLS record") ? "it does not speak TLS" : said);
    } else {
      LOG.debug("A connection failed", failure);
    }
  }

  void attach(HttpServer server) {
    server.requestHandler(router);
    server.invalidRequestHandler(this::refuseGarbage);
    server.exceptionHandler(RequestHandler::failed);
  }

  private void admit(RoutingContext http) {
    HttpServerRequest request = http.request();
    CrossSiteCheck.Headers headers =
        new CrossSiteCheck.Headers(
            header(request, "Host"),
            header(request, "Origin"),
            header(request, "Sec-Fetch-Site"),
            header(request, "Sec-Fetch-Mode"));
    Optional<String> repeated =
        SINGLE_HEADERS.stream()
            .filter(name -> request.headers().getAll(name).size() > 1)
            .findFirst();
    if (repeated.isPresent()) {
      send(
          request,
          RestResponse.error(400, "The request has more than one header " + repeated.get() + "."));
      return;
    }
    String method = request.method().name();
    Optional<ConnectionLimiter.Connection> connection =
        connections.find(request.localAddress(), request.remoteAddress());
    Optional<RestError> refusal =
        guard
            .refusal(method, headers)
            .or(
                () ->
                    settings
                        .access()
                        .refusal(
                            method,
                            header(request, "Authorization"),
                            request.remoteAddress().hostAddress(),
                            connection
                                .map(ConnectionLimiter.Connection::isOfOwnUser)
                                .orElse(false)));
    if (refusal.isPresent()) {
      send(request, ErrorResponses.reply(name(request), refusal.get()));
      return;
    }
    connection.ifPresent(connections::authenticated);
    if (announcedLength(request) > settings.maxContentLength()) {
      RestRequest call = new RestRequest(http, cluster, settings);
      send(request, ErrorResponses.reply(name(request), call.tooLarge()));
      return;
    }
    http.next();
  }

  private void serve(RoutingContext http, Operation operation) {
    HttpServerRequest request = http.request();
    CompletableFuture<RestResponse> reply;
    try {
      reply = operation.handler().apply(new RestRequest(http, cluster, settings));
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    reply
        .exceptionally(failure -> ErrorResponses.reply(name(request), failure))
        .thenAccept(answer -> send(request, answer))
        .exceptionally(
            failure -> {
              LOG.warn("Could not answer {}", name(request), failure);
              return null;
            });
  }

  private void failed(RoutingContext http) {
    Throwable failure =
        http.failure() == null ? new CompletionException("unknown", null) : http.failure();
    send(http.request(), ErrorResponses.reply(name(http.request()), failure));
  }

  private static RestResponse malformed() {
    return RestResponse.error(400, "The request is malformed.");
  }

  private static RestResponse unknownPath(RoutingContext http) {
    return RestResponse.error(
        404,
        "There is nothing at " + http.request().path() + "; docs/rest.md lists what there is.");
  }

  private static RestResponse wrongMethod(RoutingContext http) {
    return RestResponse.error(
        405,
        "Method " + http.request().method() + " does not apply to " + http.request().path() + ".");
  }

  /** What is not HTTP, or has too long a line or header. */
  private void refuseGarbage(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    RestResponse reply = malformed();
    if (cause instanceof TooLongHttpLineException) {
      reply = RestResponse.error(414, "The request line is too long.");
    } else if (cause instanceof TooLongHttpHeaderException) {
      reply = RestResponse.error(431, "The headers of the request are too long.");
    }
    send(
        request,
        new RestResponse(reply.status(), reply.contentType(), reply.headers(), reply.body(), true));
  }

  private void send(HttpServerRequest request, RestResponse reply) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    response
        .setStatusCode(reply.status())
        .putHeader("Content-Type", reply.contentType())
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("X-Frame-Options", "DENY")
        .putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin")
        .putHeader("Referrer-Policy", "no-referrer");
    reply.headers().forEach(response::putHeader);
    if (reply.closing()) {
      response.putHeader("Connection", "close");
    }
    response.end(reply.body());
    if (reply.closing()) {
      hangUp(request);
    }
  }

  /**
   * Closes the connection, but not while the sender is still busy sending: it would see a reset
   * before it reads the answer.
   */
  private void hangUp(HttpServerRequest request) {
    if (request.isEnded()) {
      request.connection().close();
      return;
    }
    request.handler(ignored -> {});
    request.endHandler(nothing -> request.connection().close());
    request.resume();
    vertx.setTimer(LINGER.toMillis(), due -> request.connection().close());
  }

  private static long announcedLength(HttpServerRequest request) {
    try {
      return Long.parseLong(header(request, "Content-Length"));
    } catch (NumberFormatException e) {
      // Sent in chunks, or without a body; what comes is counted.
      return 0;
    }
  }

  private static String header(HttpServerRequest request, String name) {
    return Optional.ofNullable(request.getHeader(name)).orElse("");
  }

  private static String name(HttpServerRequest request) {
    return request.method() + " " + request.path();
  }
}
