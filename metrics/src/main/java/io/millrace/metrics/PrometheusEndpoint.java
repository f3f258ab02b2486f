package io.millrace.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.metric.MetricReporter;
import io.millrace.core.security.RestToken;
import io.millrace.core.tls.RestServerTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server that Prometheus scrapes. On loopback it answers all local users; beyond it only
 * clients with a token, over TLS.
 */
final class PrometheusEndpoint implements MetricReporter {
  private static final Logger LOG = LoggerFactory.getLogger(PrometheusEndpoint.class);
  private static final String BEARER = "Bearer ";

  static {
    // The limits of the JDK's server, which no other part uses: seconds until a request has
    // arrived and until its response is taken, and the number of connections.
    limit("sun.net.httpserver.maxReqTime", 10);
    limit("sun.net.httpserver.maxRspTime", 30);
    limit("jdk.httpserver.maxConnections", 64);
  }

  private final HttpServer server;
  private final PrometheusScrape scrape;
  private final List<byte[]> tokens;
  private final boolean onLoopback;

  /** One thread: scrapes wait for each other. */
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread worker = new Thread(work, "metrics-prometheus");
            worker.setDaemon(true);
            return worker;
          });

  private PrometheusEndpoint(
      HttpServer server, PrometheusScrape scrape, List<byte[]> tokens, boolean onLoopback) {
    this.server = server;
    this.scrape = scrape;
    this.tokens = tokens;
    this.onLoopback = onLoopback;
  }

  private static void limit(String property, int value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, String.valueOf(value));
    }
  }

  static PrometheusEndpoint start(Configuration configuration, PrometheusScrape scrape) {
    String host = configuration.get(PrometheusOptions.HOST);
    InetAddress address = resolve(host);
    boolean onLoopback = address.isLoopbackAddress();
    Optional<RestServerTls> tls = onLoopback ? Optional.empty() : RestServerTls.of(configuration);
    List<byte[]> tokens = new ArrayList<>();
    if (!onLoopback) {
      RestToken.ofReaders(configuration)
          .ifPresent(token -> tokens.add(token.getBytes(StandardCharsets.UTF_8)));
      RestToken.of(configuration)
          .ifPresent(token -> tokens.add(token.getBytes(StandardCharsets.UTF_8)));
      if (tls.isEmpty() || tokens.isEmpty()) {
        throw closedBeyondLoopback(host);
      }
    }
    HttpServer server =
        BindPorts.of(configuration, PrometheusOptions.PORT)
            .bind(host, port -> open(new InetSocketAddress(address, port), tls));
    PrometheusEndpoint endpoint = new PrometheusEndpoint(server, scrape, tokens, onLoopback);
    server.createContext("/", endpoint::handle);
    server.setExecutor(endpoint.thread);
    server.start();
    LOG.info("Prometheus finds metrics at {}", endpoint);
    return endpoint;
  }

  private static InetAddress resolve(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The host '"
              + host
              + "' is not known ("
              + PrometheusOptions.HOST.key()
              + "). Set it to an address of this machine.",
          e);
    }
  }

  private static MillraceException closedBeyondLoopback(String host) {
    return new MillraceException(
        ErrorKind.USER,
        "Metrics are not shown at "
            + host
            + " ("
            + PrometheusOptions.HOST.key()
            + "), because others could read them. Set "
            + RestTlsOptions.ENABLED.key()
            + " with a key store, and "
            + SecurityOptions.REST_READER_TOKEN_FILE.key()
            + ", or bind to 127.0.0.1.");
  }

  private static HttpServer open(InetSocketAddress address, Optional<RestServerTls> tls)
      throws IOException {
    if (tls.isEmpty()) {
      return HttpServer.create(address, 0);
    }
    HttpsServer server = HttpsServer.create(address, 0);
    server.setHttpsConfigurator(new Encryption(tls.get()));
    return server;
  }

  private static final class Encryption extends HttpsConfigurator {
    private final RestServerTls tls;

    Encryption(RestServerTls tls) {
      super(context(tls));
      this.tls = tls;
    }

    private static SSLContext context(RestServerTls tls) {
      try {
        SSLContext context = SSLContext.getInstance(tls.protocol());
        context.init(
            new KeyManager[] {tls.key()},
            tls.clients().map(clients -> new TrustManager[] {clients}).orElse(null),
            null);
        return context;
      } catch (GeneralSecurityException e) {
        throw new MillraceException(
            ErrorKind.USER, "TLS of the endpoint for Prometheus cannot be set up: " + e, e);
      }
    }

    @Override
    public void configure(HttpsParameters parameters) {
      parameters.setProtocols(new String[] {tls.protocol()});
      if (!tls.ciphers().isEmpty()) {
        parameters.setCipherSuites(tls.ciphers().toArray(String[]::new));
      }
      parameters.setNeedClientAuth(tls.clients().isPresent());
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!isAllowed(exchange)) {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
        answer(exchange, 401, "Send the token as `Authorization: Bearer TOKEN`.\n");
      } else if (!exchange.getRequestURI().getPath().equals("/metrics")) {
        answer(exchange, 404, "The metrics are at /metrics.\n");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        answer(exchange, 405, "Only GET is allowed.\n");
      } else {
        scrape(exchange);
      }
    }
  }

  private void scrape(HttpExchange exchange) throws IOException {
    try {
      String text = scrape.text();
      exchange.getResponseHeaders().set("Content-Type", PrometheusScrape.CONTENT_TYPE);
      answer(exchange, 200, text);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.warn("The metrics cannot be read", e);
      answer(exchange, 503, "The metrics cannot be read at the moment.\n");
    }
  }

  /** Pages of other sites cannot read it through a name that leads to loopback. */
  private boolean isAllowed(HttpExchange exchange) {
    if (onLoopback) {
      return isLoopbackName(exchange.getRequestHeaders().getFirst("Host"));
    }
    String header = exchange.getRequestHeaders().getFirst("Authorization");
    if (header == null || !header.startsWith(BEARER)) {
      return false;
    }
    byte[] token = header.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8);
    boolean known = false;
    for (byte[] each : tokens) {
      known |= MessageDigest.isEqual(each, token);
    }
    return known;
  }

  private static boolean isLoopbackName(String host) {
    if (host == null) {
      return false;
    }
    String name = host.toLowerCase(Locale.ROOT).replaceAll(":\\d+$", "");
    return name.equals("localhost")
        || name.equals("[::1]")
        || name.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  /** The bound port. */
  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    thread.shutdownNow();
  }

  @Override
  public String toString() {
    return (server instanceof HttpsServer ? "https://" : "http://")
        + server.getAddress().getAddress().getHostAddress()
        + ":"
        + port()
        + "/metrics";
  }
}
