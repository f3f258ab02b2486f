package io.millrace.format.registry;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.List;
import java.util.Map;

/**
 * Asks a schema registry over HTTP. Formats use it; belongs to one task.
 *
 * <pre>{@code
 * // In a format of your own, which reads the id from the message:
 * SchemaRegistryClient client = new SchemaRegistryClient(SchemaRegistry.at("https://host:8081"));
 * String schema = client.schema(7, SchemaRegistryClient.SchemaType.AVRO);
 * }</pre>
 */
public final class SchemaRegistryClient {
  private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
  private static final int LONGEST_ANSWER = 16 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SchemaRegistry registry;

  // Answers are kept: ids and versions never change.
  private final Map<Integer, String> schemas = new HashMap<>();
  private final Map<Registered, Integer> ids = new HashMap<>();
  private final Map<Registered, Integer> versions = new HashMap<>();

  /** What a schema is written in. */
  public enum SchemaType {
    /** Its JSON. */
    AVRO("Avro", ""),
    /**
     * A {@code FileDescriptorProto} in Base64, which registries take and give instead of the text
     * of the file. A registry that does not know this form answers with the text.
     */
    PROTOBUF("Protobuf", "?format=serialized");

    private final String title;
    private final String query;

    SchemaType(String title, String query) {
      this.title = title;
      this.query = query;
    }
  }

  /** A schema that another one imports under this name. */
  public record Reference(String name, String subject, int version) {}

  /** A schema as it is registered. */
  public record Schema(SchemaType type, String text, List<Reference> references) {
    public Schema {
      references = List.copyOf(references);
    }
  }

  private record Registered(String subject, Schema schema) {}

  public SchemaRegistryClient(SchemaRegistry registry) {
    this.registry = registry;
  }

  /** The schema with this id. */
  public String schema(int id, SchemaType type) {
    String known = schemas.get(id);
    if (known == null) {
      JsonNode answer = request("GET", "/schemas/ids/" + id + type.query, null);
      String answered = answer.path("schemaType").asText(SchemaType.AVRO.name());
      if (!answered.equals(type.name())) {
        throw new MillraceException(
            ErrorKind.USER,
            "Schema "
                + id
                + " of the registry "
                + registry.url()
                + " is of type "
                + answered
                + ", not "
                + type.title
                + ".");
      }
      known = required(answer, "schema").asText();
      schemas.put(id, known);
    }
    return known;
  }

  /** The id of a schema under a subject, which is registered unless the settings forbid it. */
  public int id(String subject, Schema schema) {
    Registered registered = new Registered(subject, schema);
    Integer known = ids.get(registered);
    if (known == null) {
      String path = registry.registers() ? path(subject) + "/versions" : path(subject);
      known = required(request("POST", path, body(schema)), "id").asInt();
      ids.put(registered, known);
    }
    return known;
  }

  /** The version of a schema under a subject, registered in the same way. */
  public int version(String subject, Schema schema) {
    Registered registered = new Registered(subject, schema);
    Integer known = versions.get(registered);
    if (known == null) {
      id(subject, schema);
      known = required(request("POST", path(subject), body(schema)), "version").asInt();
      versions.put(registered, known);
    }
    return known;
  }

  private static String path(String subject) {
    return "/subjects/" + URLEncoder.encode(subject, StandardCharsets.UTF_8);
  }

  private static String body(Schema schema) {
    ObjectNode body = JSON.createObjectNode();
    if (schema.type() != SchemaType.AVRO) {
      body.put("schemaType", schema.type().name());
    }
    body.put("schema", schema.text());
    if (!schema.references().isEmpty()) {
      ArrayNode references = body.putArray("references");
      for (Reference each : schema.references()) {
        references
            .addObject()
            .put("name", each.name())
            .put("subject", each.subject())
            .put("version", each.version());
      }
    }
    return body.toString();
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
      byte[] content = in.readNBytes(LONGEST_ANSWER + 1);
      if (content.length > LONGEST_ANSWER) {
        throw new IOException("The answer has more than " + LONGEST_ANSWER + " bytes");
      }
      return new String(content, StandardCharsets.UTF_8);
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
