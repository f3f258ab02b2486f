package io.millrace.client.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.client.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A REST server with prepared answers on loopback. A request is written as in {@code GET
 * /jobs/overview}; one without an answer gets status 404. Requests are recorded.
 */
public final class FakeRestServer implements AutoCloseable {
  private static final Answer NOT_FOUND = answer(404, "{\"errors\":[\"There is no such path.\"]}");

  private final HttpServer server;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Map<String, byte[]> bodies = new ConcurrentHashMap<>();
  private final Map<String, String> tokens = new ConcurrentHashMap<>();
  private volatile Consumer<String> beforeAnswer = request -> {};

  private record Answer(int status, Map<String, String> headers, byte[] body) {}

  public FakeRestServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::serve);
    server.start();
  }

  private static Answer answer(int status, String body) {
    return new Answer(status, new LinkedHashMap<>(), body.getBytes(StandardCharsets.UTF_8));
  }

  private void serve(HttpExchange exchange) throws IOException {
    String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
    bodies.put(request, exchange.getRequestBody().readAllBytes());
    String token = exchange.getRequestHeaders().getFirst("Authorization");
    tokens.put(request, token == null ? "" : token);
    requests.add(request);
    beforeAnswer.accept(request);
    Answer answer = answers.getOrDefault(request, NOT_FOUND);
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    boolean empty = answer.body().length == 0 || exchange.getRequestMethod().equals("HEAD");
    // Length 0 makes the server send chunks.
    exchange.sendResponseHeaders(answer.status(), empty ? -1 : 0);
    if (!empty) {
      exchange.getResponseBody().write(answer.body());
    }
    exchange.close();
  }

  public HostPort address() {
    return new HostPort("127.0.0.1", server.getAddress().getPort());
  }

  /** Answers a request with status 200. */
  public FakeRestServer answer(String request, String body) {
    return answer(request, 200, body);
  }

  public FakeRestServer answer(String request, int status, String body) {
    answers.put(request, answer(status, body));
    return this;
  }

  /** Answers a request with status 200, these headers and bytes. */
  public FakeRestServer answer(String request, Map<String, String> headers, byte[] body) {
    answers.put(request, new Answer(200, new LinkedHashMap<>(headers), body.clone()));
    return this;
  }

  /** Answers a request with this status and headers, without a body. */
  public FakeRestServer redirect(String request, int status, String location) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Location", location);
    answers.put(request, new Answer(status, headers, new byte[0]));
    return this;
  }

  /** Answers a request with status 404 from now on. */
  public void removeAnswer(String request) {
    answers.remove(request);
  }

  /** Calls this after a request is recorded and before it is answered. */
  public void beforeAnswer(Consumer<String> action) {
    beforeAnswer = action;
  }

  /** The requests, in the order of their arrival. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  /** The body of the last request of this kind. */
  public byte[] body(String request) {
    return bodies.get(request);
  }

  public String text(String request) {
    return new String(body(request), StandardCharsets.UTF_8);
  }

  /** The Authorization header of the last request of this kind; empty if it had none. */
  public String authorization(String request) {
    return tokens.get(request);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
