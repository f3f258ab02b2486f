package io.millrace.rest;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles HTTP requests: checks access, runs the operation, writes the response. */
final class RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);
  private static final List<String> PREFIXES = List.of("", "/v1");

  /** A proxy may have checked another occurrence of a repeated header than this server would. */
  private static final List<String> SINGLE_HEADERS =
      List.of("Host", "Origin", "Authorization", "Cookie");

  /** The method as which a GET with an effect is authorised. */
  private static final String EFFECT = "POST";

  /** How long a client may send a body that is not read, before its connection is closed. */
  private static final Duration BODY_DRAIN_TIME = Duration.ofSeconds(2);

  /** How long a browser may remember that the pages of an allowed origin may send requests. */
  private static final Duration PREFLIGHT_VALID = Duration.ofMinutes(10);

  private final Vertx vertx;
  private final Router router;
  private final ClusterGateways cluster;
  private final RestSettings settings;
  private final ConnectionLimiter connections;
  private final CrossSiteCheck crossSiteCheck;
  private final AllowedMethods allowed;
  private final BrowserSessions sessions;
  private final Supplier<Optional<String>> otherLeader;

  /**
   * @param otherLeader the REST address to which requests are redirected, while there is one
   */
  RequestHandler(
      Vertx vertx,
      ClusterGateways cluster,
      RestSettings settings,
      ConnectionLimiter connections,
      List<Operation> operations,
      BrowserSessions sessions,
      Supplier<Optional<String>> otherLeader) {
    this.vertx = vertx;
    this.router = Router.router(vertx);
    this.cluster = cluster;
    this.settings = settings;
    this.connections = connections;
    this.crossSiteCheck = new CrossSiteCheck(settings.address(), settings.web().allowedOrigins());
    this.allowed = new AllowedMethods(operations);
    this.sessions = sessions;
    this.otherLeader = otherLeader;
    router.route().handler(this::checkAccess);
    for (String prefix : PREFIXES) {
      for (Operation operation : operations) {
        router
            .route(operation.method(), prefix + operation.path())
            .handler(http -> serve(http, operation));
        if (allowed.isReadByHead(operation)) {
          router
              .route(HttpMethod.HEAD, prefix + operation.path())
              .handler(http -> serve(http, operation));
        }
      }
    }
    for (String prefix : PREFIXES) {
      for (String path : allowed.paths()) {
        router.route(HttpMethod.OPTIONS, prefix + path).handler(this::options);
      }
    }
    router.errorHandler(400, http -> send(http.request(), malformed()));
    router.errorHandler(404, http -> send(http.request(), unknownPath(http)));
    router.errorHandler(405, http -> send(http.request(), wrongMethod(http)));
    router.errorHandler(500, this::failed);
  }

  private static void failed(Throwable failure) {
    if (failure instanceof SSLException) {
      String message = String.valueOf(failure.getMessage());
      // Netty quotes the bytes that are not TLS, which may contain a token.
      LOG.info(
          "The TLS handshake with a client failed: {}",
          message.startsWith("not an SSL/TLS record") ? "the client does not use TLS" : message);
    } else {
      LOG.debug("A connection failed", failure);
    }
  }

  void attach(HttpServer server) {
    server.requestHandler(router);
    server.invalidRequestHandler(this::rejectInvalid);
    server.exceptionHandler(RequestHandler::failed);
  }

  private void checkAccess(RoutingContext http) {
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
    Optional<RestError> crossSite = crossSiteCheck.refusal(method, headers);
    if (crossSite.isEmpty() && crossSiteCheck.isAllowedOrigin(headers.origin())) {
      allowPage(request, headers.origin());
      if (isPreflight(request)) {
        options(http);
        return;
      }
    }
    Optional<String> key = http.queryParam(BrowserSessions.LOGIN).stream().findFirst();
    if (crossSite.isEmpty() && key.isPresent() && request.path().equals("/")) {
      long now = cluster.env().wallMillis();
      send(request, sessions.open(key.get(), settings.tls().isPresent(), now));
      return;
    }
    Optional<RestError> refusal = crossSite.or(() -> refusal(request, method));
    if (refusal.isPresent()) {
      send(request, ErrorResponses.reply(name(request), refusal.get()));
      return;
    }
    connection(request).ifPresent(connections::authenticated);
    Optional<String> leader = otherLeader.get();
    if (leader.isPresent()) {
      send(request, redirect(settings.scheme() + leader.get() + request.uri()));
      return;
    }
    if (announcedLength(request) > settings.maxContentLength()) {
      RestRequest call = new RestRequest(http, cluster, settings);
      send(request, ErrorResponses.reply(name(request), call.tooLarge()));
      return;
    }
    http.next();
  }

  /** Why the sender of a request may not use a method, if so. */
  private Optional<RestError> refusal(HttpServerRequest request, String method) {
    return settings
        .access()
        .refusal(
            method,
            header(request, "Authorization"),
            request.remoteAddress().hostAddress(),
            connection(request).map(ConnectionLimiter.Connection::isOfOwnUser).orElse(false),
            sessions.roleOf(header(request, "Cookie"), cluster.env().wallMillis()));
  }

  private Optional<ConnectionLimiter.Connection> connection(HttpServerRequest request) {
    return connections.find(request.localAddress(), request.remoteAddress());
  }

  /** Tells the browser that the page of another site may read the answer. */
  private static void allowPage(HttpServerRequest request, String origin) {
    request.response().putHeader("Access-Control-Allow-Origin", origin).putHeader("Vary", "Origin");
    if (isPreflight(request)) {
      request
          .response()
          .putHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
          .putHeader("Access-Control-Allow-Headers", "Authorization, Content-Type")
          .putHeader("Access-Control-Max-Age", String.valueOf(PREFLIGHT_VALID.toSeconds()));
    }
  }

  /** Whether a browser asks, without credentials, if it may send a request of a page. */
  private static boolean isPreflight(HttpServerRequest request) {
    return request.method().equals(HttpMethod.OPTIONS)
        && !header(request, "Access-Control-Request-Method").isEmpty();
  }

  private void serve(RoutingContext http, Operation operation) {
    HttpServerRequest request = http.request();
    if (operation.effect()) {
      // Asked here, because a path can be spelled in several ways that lead to the same operation.
      Optional<RestError> refusal = refusal(request, EFFECT);
      if (refusal.isPresent()) {
        send(request, ErrorResponses.reply(name(request), refusal.get()));
        return;
      }
    }
    RestRequest call = new RestRequest(http, cluster, settings);
    CompletableFuture<RestResponse> reply;
    try {
      reply = operation.handler().apply(call);
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    reply
        .exceptionally(failure -> ErrorResponses.reply(name(request), failure))
        .thenCompose(answer -> GzipEncoding.encode(call, answer))
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

  /** The connection is closed, because the body of the request is not read. */
  private static RestResponse redirect(String url) {
    RestResponse reply = RestResponse.error(307, "Another JobManager leads the cluster: " + url);
    Map<String, String> headers = new LinkedHashMap<>(reply.headers());
    headers.put("Location", url);
    return new RestResponse(307, reply.contentType(), headers, reply.body(), true);
  }

  private static RestResponse malformed() {
    return RestResponse.error(400, "The request is malformed.");
  }

  private static RestResponse unknownPath(RoutingContext http) {
    return RestResponse.error(
        404, "There is no operation at " + http.request().path() + "; docs/rest.md lists all.");
  }

  private RestResponse wrongMethod(RoutingContext http) {
    String methods = allowed.at(pathOf(http));
    return RestResponse.error(
            405,
            "Method "
                + http.request().method()
                + " does not apply to "
                + http.request().path()
                + "; these do: "
                + methods
                + ".")
        .with("Allow", methods);
  }

  private void options(RoutingContext http) {
    send(http.request(), RestResponse.empty(200).with("Allow", allowed.at(pathOf(http))));
  }

  /** The path of an operation, without the prefix of a version. */
  private static String pathOf(RoutingContext http) {
    String path = http.normalizedPath();
    return PREFIXES.stream()
        .filter(prefix -> !prefix.isEmpty() && path.startsWith(prefix + "/"))
        .findFirst()
        .map(prefix -> path.substring(prefix.length()))
        .orElse(path);
  }

  /** Rejects what is not HTTP, or has a line or header that is too long. */
  private void rejectInvalid(HttpServerRequest request) {
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
    if (reply.closesConnection()) {
      response.putHeader("Connection", "close");
    }
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader("Content-Length", String.valueOf(reply.body().length())).end();
    } else {
      response.end(reply.body());
    }
    if (reply.closesConnection()) {
      closeConnection(request);
    }
  }

  /**
   * Closes the connection after the body has arrived or {@link #BODY_DRAIN_TIME} has passed. If it
   * were closed while the client sends, the client would see a reset before it reads the response.
   */
  private void closeConnection(HttpServerRequest request) {
    if (request.isEnded()) {
      request.connection().close();
      return;
    }
    request.handler(ignored -> {});
    request.endHandler(nothing -> request.connection().close());
    request.resume();
    vertx.setTimer(BODY_DRAIN_TIME.toMillis(), due -> request.connection().close());
  }

  private static long announcedLength(HttpServerRequest request) {
    try {
      return Long.parseLong(header(request, "Content-Length"));
    } catch (NumberFormatException e) {
      // The body is chunked or absent. Its bytes are counted when they arrive.
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
