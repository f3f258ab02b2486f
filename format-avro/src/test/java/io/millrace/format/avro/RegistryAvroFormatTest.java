package io.millrace.format.avro;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.connector.files.BadFileRecords;
import io.millrace.connector.files.FileRoundTrip;
import io.millrace.connector.files.FileSource;
import io.millrace.connector.files.LineFormat;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages with ids of schemas, with a server that speaks the documented requests. */
class RegistryAvroFormatTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  record Order(String customer, int amount) {}

  /** The same name in Avro as {@link Order}, one version later. */
  static final class Newer {
    record Order(String customer, int amount, String note) {}
  }

  private HttpServer server;
  private SchemaRegistry registry;

  /** The id of a schema is its index + 1. */
  private final List<String> schemas = Collections.synchronizedList(new ArrayList<>());

  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private volatile int failWith;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    registry =
        SchemaRegistry.at("http://127.0.0.1:" + server.getAddress().getPort() + "/")
            .login("user", "secret");
  }

  @AfterEach
  void stop() {
    server.stop(0);
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
    } else if (request.startsWith("GET /schemas/ids/")) {
      int id = Integer.parseInt(request.substring("GET /schemas/ids/".length()));
      if (id < 1 || id > schemas.size()) {
        send(exchange, 404, "{\"error_code\":40403,\"message\":\"Schema not found\"}");
      } else {
        send(exchange, 200, JSON.createObjectNode().put("schema", schemas.get(id - 1)).toString());
      }
    } else if (request.startsWith("POST /subjects/")) {
      JsonNode schema = JSON.readTree(body).get("schema");
      int known = schemas.indexOf(schema.asText());
      if (known < 0 && !request.endsWith("/versions")) {
        send(exchange, 404, "{\"error_code\":40401,\"message\":\"Subject not found\"}");
        return;
      }
      if (known < 0) {
        schemas.add(schema.asText());
        known = schemas.size() - 1;
      }
      send(exchange, 200, "{\"id\":" + (known + 1) + "}");
    } else {
      send(exchange, 405, "");
    }
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Test
  @Behaviour("H1: Avro messages with schemas in a registry are written and read over versions")
  void messagesOfSeveralVersionsAreReadAsOne() throws Exception {
    RegistryAvroFormat<Order> format =
        FileRoundTrip.travelled(
            AvroFormat.of(Order.class).withRegistry(registry, "orders value/1"));
    byte[] first = format.serialize(new Order("a", 1));
    format.serialize(new Order("b", 2));
    assertThat(first).startsWith(0, 0, 0, 0, 1);
    // Once, whatever the number of messages.
    assertThat(requests).containsExactly("POST /subjects/orders+value%2F1/versions");

    String newerSchema =
        AvroType.of(Newer.Order.class)
            .schema()
            .toString()
            .replace("RegistryAvroFormatTest_Newer_Order", "RegistryAvroFormatTest_Order");
    RegistryAvroFormat<Newer.Order> newer =
        AvroFormat.of(
                AvroType.of(
                    Newer.Order.class, new org.apache.avro.Schema.Parser().parse(newerSchema)))
            .withRegistry(registry, "orders");
    byte[] second = newer.serialize(new Newer.Order("c", 3, "note"));
    assertThat(second).startsWith(0, 0, 0, 0, 2);
    requests.clear();
    assertThat(newer.deserialize(first)).isEqualTo(new Newer.Order("a", 1, null));
    assertThat(newer.deserialize(second)).isEqualTo(new Newer.Order("c", 3, "note"));
    assertThat(newer.deserialize(first)).isEqualTo(new Newer.Order("a", 1, null));
    assertThat(requests).containsExactly("GET /schemas/ids/1", "GET /schemas/ids/2");
    assertThat(format.deserialize(second)).isEqualTo(new Order("c", 3));
  }

  @Test
  void withoutRegistrationTheSchemaMustBeThere() throws Exception {
    RegistryAvroFormat<Order> format =
        AvroFormat.of(Order.class).withRegistry(registry.withoutRegistration(), "orders");
    assertThatThrownBy(() -> format.serialize(new Order("a", 1)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("status 404: Subject not found (error 40401)");
    assertThat(requests).containsExactly("POST /subjects/orders");
    AvroFormat.of(Order.class).withRegistry(registry, "orders").serialize(new Order("a", 1));
    assertThat(format.serialize(new Order("a", 1))).startsWith(0, 0, 0, 0, 1);
  }

  @Test
  void messagesWithoutAKnownSchemaAreBadAndAnOutageIsNot() throws Exception {
    RegistryAvroFormat<Order> format = AvroFormat.of(Order.class).withRegistry(registry, "orders");
    byte[] good = format.serialize(new Order("a", 1));
    for (byte[] bad : new byte[][] {{}, {0, 0, 0, 0}, {1, 0, 0, 0, 1, 2}, {0, 0, 0, 0, 9, 2}}) {
      assertThatThrownBy(() -> format.deserialize(bad))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
    }
    for (int status : new int[] {500, 503, 401, 302}) {
      failWith = status;
      assertThatThrownBy(
              () -> AvroFormat.of(Order.class).withRegistry(registry, "orders").deserialize(good))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
          .hasMessageContaining("status " + status);
    }
    stop();
    assertThatThrownBy(
            () -> AvroFormat.of(Order.class).withRegistry(registry, "orders").deserialize(good))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageContaining("does not answer GET /schemas/ids/1");
  }

  @Test
  void aRegistryThatIsAwayDoesNotLetASourceSkipRecords(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("messages");
    Files.write(file, new byte[] {0, 0, 0, 0, 1, 2, '\n'});
    failWith = 503;
    FileSource<Order> source =
        FileSource.of(
                LineFormat.reading(AvroFormat.of(Order.class).withRegistry(registry, "orders")),
                file.toString())
            .badRecords(BadFileRecords.skip());
    assertThatThrownBy(() -> FileRoundTrip.readOnce(source, 1))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("status 503");
  }
}
