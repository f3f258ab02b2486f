package io.millrace.format.avro;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Asks a schema registry over HTTP. Each answer is kept: ids never change. Belongs to one task. */
final class SchemaRegistryClient {
  private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SchemaRegistry registry;
  private final Map<Integer, String> schemas = new HashMap<>();
  private final Map<String, Integer> ids = new HashMap<>();

  SchemaRegistryClient(SchemaRegistry registry) {
    this.registry = registry;
  }

  /** The schema with this id, as JSON. */
  String schema(int id) {
    String known = schemas.get(id);
    if (known == null) {
      JsonNode answer = request("GET", "/schemas/ids/" + id, null);
      String type = answer.path("schemaType").asText("AVRO");
      if (!type.equals("AVRO")) {
        throw new MillraceException(
            ErrorKind.USER,
            "Schema "
                + id
                + " of the registry "
                + registry.url()
                + " is of type "
                + type
                + ", not Avro.");
      }
      known = required(answer, "schema").asText();
      schemas.put(id, known);
    }
    return known;
  }

  /** The id of a schema under a subject, which is registered unless the settings forbid it. */
  int id(String subject, String schema) {
    Integer known = ids.get(subject + "\n" + schema);
    if (known == null) {
      String path = "/subjects/" + URLEncoder.encode(subject, StandardCharsets.UTF_8);
      JsonNode answer =
          request(
              "POST",
              registry.registers() ? path + "/versions" : path,
              JSON.createObjectNode().put("schema", schema).toString());
      known = required(answer, "id").asInt();
      ids.put(subject + "\n" + schema, known);
    }
    return known;
  }

  private JsonNode required(JsonNode answer, String field) {
    if (!answer.has(field)) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The answer of " + registry.url() + " has no '" + field + "'; it is no schema registry.");
    }
    return answer.get(field);
  }

  private JsonNode request(String method, String path, String body) {
    HttpURLConnection connection = null;
    try {
      connection = open(path);
      connection.setRequestMethod(method);
      if (body != null) {
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", CONTENT_TYPE);
        try (OutputStream out = connection.getOutputStream()) {
          out.write(body.getBytes(StandardCharsets.UTF_8));
        }
      }
      int status = connection.getResponseCode();
      if (status != HttpURLConnection.HTTP_OK) {
        throw refused(method, path, status, content(connection.getErrorStream()));
      }
      return JSON.readTree(content(connection.getInputStream()));
    } catch (JacksonException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The answer of " + registry.url() + path + " is no JSON; it is no schema registry.",
          e);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The schema registry "
              + registry.url()
              + " does not answer "
              + method
              + " "
              + path
              + ": "
              + Failure.sentence(e),
          e);
    } finally {
      if (connection != null) {
        connection.disconnect();
      }
    }
  }

  private HttpURLConnection open(String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(registry.url() + path).toURL().openConnection();
    int timeout = (int) Math.min(Integer.MAX_VALUE, registry.timeout().toMillis());
    connection.setConnectTimeout(timeout);
    connection.setReadTimeout(timeout);
    // Credentials must not follow a redirection to another host.
    connection.setInstanceFollowRedirects(false);
    connection.setRequestProperty("Accept", CONTENT_TYPE + ", application/json");
    registry.headers().forEach(connection::setRequestProperty);
    return connection;
  }

  private static String content(InputStream in) throws IOException {
    if (in == null) {
      return "";
    }
    try (in) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private MillraceException refused(String method, String path, int status, String body) {
    String reason = body;
    try {
      JsonNode answer = JSON.readTree(body);
      if (answer.has("message")) {
        reason =
            answer.get("message").asText() + " (error " + answer.path("error_code").asText() + ")";
      }
    } catch (JacksonException e) {
      // Not a registry's own answer; as it is.
    }
    // A message may name a schema that does not exist. Everything else says nothing of the message.
    return new MillraceException(
        status == HttpURLConnection.HTTP_NOT_FOUND ? ErrorKind.USER : ErrorKind.EXTERNAL,
        "The schema registry "
            + registry.url()
            + " refuses "
            + method
            + " "
            + path
            + " with status "
            + status
            + ": "
            + (reason.length() > 500 ? reason.substring(0, 500) + "…" : reason));
  }
}
