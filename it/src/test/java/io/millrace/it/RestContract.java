package io.millrace.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What Flink's REST v1 is: its operations, and the keys and types of the answers that a cluster of
 * Flink 2.3 gave. Both are in files of the test resources, which {@link #main} makes from Flink's
 * description of its API and from recorded answers.
 */
final class RestContract {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern PATH = Pattern.compile("^ {2}(/\\S+):");
  private static final Pattern METHOD = Pattern.compile("^ {4}(get|post|put|patch|delete):");

  private RestContract() {}

  /**
   * A recorded answer.
   *
   * @param types the JSON type at each path; elements of an array share one path
   */
  record Recorded(int status, Map<String, String> types) {}

  /** All operations, such as {@code GET /jobs/:jobid}. */
  static List<String> operations() throws IOException {
    return new String(resource("operations.txt"), StandardCharsets.UTF_8).lines().toList();
  }

  /** The recorded answer of a name, which is that of the recording. */
  static Recorded recorded(String name) throws IOException {
    JsonNode answer = JSON.readTree(resource("answers.json")).path(name);
    if (answer.isMissingNode()) {
      throw new IllegalArgumentException("There is no recorded answer " + name);
    }
    return recorded(answer);
  }

  /** The recorded answer to the request of an operation without a query, if there is one. */
  static Optional<Recorded> recordedOf(String operation) throws IOException {
    JsonNode answers = JSON.readTree(resource("answers.json"));
    String name = operation.toLowerCase(Locale.ROOT).replace(" /", "-").replaceAll("[/:]+", "-");
    if (answers.has(name)) {
      return Optional.of(recorded(answers.path(name)));
    }
    for (JsonNode answer : answers) {
      if (answer.path("request").asText().equals(operation)) {
        return Optional.of(recorded(answer));
      }
    }
    return Optional.empty();
  }

  private static Recorded recorded(JsonNode answer) {
    Map<String, String> types = new TreeMap<>();
    answer
        .path("types")
        .properties()
        .forEach(type -> types.put(type.getKey(), type.getValue().asText()));
    return new Recorded(answer.path("status").asInt(), types);
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = RestContract.class.getResourceAsStream("/rest-v1/" + name)) {
      return in.readAllBytes();
    }
  }

  /** The JSON type at each path. Keys that are ids are one key, because they differ. */
  static Map<String, String> types(JsonNode json) {
    Map<String, String> types = new TreeMap<>();
    collect("", json, types);
    return types;
  }

  private static void collect(String path, JsonNode json, Map<String, String> types) {
    types.put(path, type(json));
    json.properties()
        .forEach(
            field ->
                collect(
                    path + "/" + field.getKey().replaceAll("^[0-9a-f]{32}$", "ID"),
                    field.getValue(),
                    types));
    if (json.isArray()) {
      json.forEach(element -> collect(path + "[]", element, types));
    }
  }

  private static String type(JsonNode json) {
    if (json.isNumber()) {
      return json.isIntegralNumber() ? "integer" : "fraction";
    }
    return switch (json.getNodeType()) {
      case OBJECT -> "object";
      case ARRAY -> "array";
      case STRING -> "text";
      case BOOLEAN -> "flag";
      case NULL -> "null";
      default -> throw new IllegalArgumentException("Not JSON: " + json);
    };
  }

  /** Writes the resources: {@code RestContract API.yml SAMPLES-DIRECTORY RESOURCES-DIRECTORY}. */
  public static void main(String[] arguments) throws IOException {
    Path resources = Path.of(arguments[2]);
    List<String> operations = new ArrayList<>();
    String path = "";
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      Matcher aPath = PATH.matcher(line);
      Matcher aMethod = METHOD.matcher(line);
      if (aPath.find()) {
        path = aPath.group(1).replaceAll("\\{(\\w+)}", ":$1");
      } else if (aMethod.find() && !path.isEmpty()) {
        operations.add(aMethod.group(1).toUpperCase(Locale.ROOT) + " " + path);
      }
    }
    Files.writeString(resources.resolve("operations.txt"), String.join("\n", operations) + "\n");
    ObjectNode answers = JSON.createObjectNode();
    try (Stream<Path> samples = Files.list(Path.of(arguments[1]))) {
      for (Path sample : samples.sorted().toList()) {
        JsonNode recorded = JSON.readTree(sample.toFile());
        ObjectNode answer = answers.putObject(sample.getFileName().toString().replace(".json", ""));
        answer.put("request", recorded.path("request").asText());
        answer.put("status", recorded.path("status").asInt());
        ObjectNode types = answer.putObject("types");
        types(recorded.path("response")).forEach(types::put);
      }
    }
    Files.writeString(
        resources.resolve("answers.json"),
        JSON.writer().with(SerializationFeature.INDENT_OUTPUT).writeValueAsString(answers) + "\n");
  }
}
