package io.millrace.format.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A server that speaks the documented requests of schema registries. */
public final class RegistryServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;

  /** What was posted. The id of a schema is its index + 1. */
  private final List<JsonNode> schemas = Collections.synchronizedList(new ArrayList<>());

  /** By subject. The version of a schema is its index + 1. */
  private final Map<String, List<JsonNode>> subjects =
      Collections.synchronizedMap(new LinkedHashMap<>());

  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private volatile int failWith;
  private volatile String answer;

  public RegistryServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  /** The registry, with the login that it asks for. */
  public SchemaRegistry registry() {
    return SchemaRegistry.at("http://127.0.0.1:" + server.getAddress().getPort() + "/")
        .login("user", "secret");
  }

  /** The requests so far; may be cleared. */
  public List<String> requests() {
    return requests;
  }

  /** The schemas that were posted, as they were posted. */
  public List<JsonNode> schemas() {
    return schemas;
  }

  /** Answers each request with this status; 0 for no failures. */
  public void failWith(int status) {
    failWith = status;
  }

  /** Answers each request with this text; null for real answers. */
  public void answerWith(String text) {
    answer = text;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    requests.add(request);
    if (failWith != 0) {
      send(exchange, failWith, "{\"error_code\":50001,\"message\":\"store is away\"}");
    } else if (!"Basic dXNlcjpzZWNyZXQ="
        .equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
      send(exchange, 401, "{\"error_code\":401,\"message\":\"Unauthorized\"}");
    } else if (answer != null) {
      send(exchange, 200, answer);
    } else if (request.startsWith("GET /schemas/ids/")) {
      get(exchange);
    } else if (request.startsWith("POST /subjects/")) {
      post(exchange, JSON.readTree(body));
    } else {
      send(exchange, 405, "");
    }
  }

  private void get(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    int id = Integer.parseInt(path.substring("/schemas/ids/".length()));
    if (id < 1 || id > schemas.size()) {
      send(exchange, 404, "{\"error_code\":40403,\"message\":\"Schema not found\"}");
    } else {
      send(exchange, 200, schemas.get(id - 1).toString());
    }
  }

  private void post(HttpExchange exchange, JsonNode schema) throws IOException {
    String path = exchange.getRequestURI().getRawPath();
    boolean registers = path.endsWith("/versions");
    String subject = path.substring("/subjects/".length()).replaceFirst("/versions$", "");
    List<JsonNode> versions = subjects.computeIfAbsent(subject, any -> new ArrayList<>());
    if (!registers && !versions.contains(schema)) {
      send(exchange, 404, "{\"error_code\":40401,\"message\":\"Subject not found\"}");
      return;
    }
    if (!versions.contains(schema)) {
      versions.add(schema);
    }
    if (!schemas.contains(schema)) {
      schemas.add(schema);
    }
    ObjectNode result = JSON.createObjectNode().put("id", schemas.indexOf(schema) + 1);
    if (!registers) {
      result.put("version", versions.indexOf(schema) + 1);
    }
    send(exchange, 200, result.toString());
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
