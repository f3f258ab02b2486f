package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.it.RestContract.Recorded;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Sends requests and compares their answers with those of Flink. */
final class RestCheck {
  /** Keys that Flink does not have: docs/rest.md says what they are. */
  private static final String EXTENSIONS = ".*/(waiting-for|thread|event-time)(/.*)?";

  /** Keys that an answer of Flink has or has not, as the job is. */
  private static final String OPTIONAL =
      ".*/plan/nodes\\[]/inputs|.*/job-execution-result/failure-cause|.*/latest/\\w+(/.*)?";

  /** Objects whose keys are names or states. */
  private static final String MAPS =
      ".*/(serialized-user-task-accumulators|accumulator-results)|.*/applications\\[]/jobs";

  /** A number, or "NaN" without any value. Flink has none of one vertex; here there are. */
  private static final String QUANTILES = ".*/p\\d+";

  private final Rest rest;
  private final FlinkRestClient flink;
  private final Set<String> answered = new LinkedHashSet<>();
  private final Set<String> differences = new LinkedHashSet<>();

  RestCheck(Rest rest, FlinkRestClient flink) {
    this.rest = rest;
    this.flink = flink;
  }

  /** The operations that were called. */
  Set<String> answered() {
    return answered;
  }

  /** How answers differ from those of Flink, over all operations. */
  Set<String> differences() {
    return differences;
  }

  JsonNode get(String operation, Map<String, String> parameters) throws Exception {
    return read(operation, parameters, RestContract.recordedOf(operation));
  }

  /**
   * @param recording the name of the answer that has the same keys and types
   */
  JsonNode get(String operation, Map<String, String> parameters, String recording)
      throws Exception {
    return read(operation, parameters, Optional.of(RestContract.recorded(recording)));
  }

  /** Waits until an asynchronous operation or a job is complete. */
  void awaitCompleted(String operation, Map<String, String> parameters) {
    String path = path(operation, parameters);
    Wait.untilTrue(
        path + " is complete", () -> rest.get(path).at("/status/id").asText().equals("COMPLETED"));
  }

  private JsonNode read(
      String operation, Map<String, String> parameters, Optional<Recorded> recorded)
      throws Exception {
    answered.add(operation);
    Rest.Answer answer = rest.send("GET", path(operation, parameters), "");
    if (answer.status() != flink.successStatus(operation)) {
      differences.add(operation + ": " + answer.status() + " " + answer.body());
      return answer.body();
    }
    recorded.ifPresent(known -> add(operation, differences(known, answer.body())));
    try {
      add(operation, lost("", flink.decoded(operation, answer.body().toString()), answer.body()));
    } catch (IOException e) {
      differences.add(operation + ": Flink cannot read " + answer.body() + ": " + e.getMessage());
    }
    try {
      flink.get(operation, parameters);
    } catch (FlinkRestClient.Refused e) {
      differences.add(operation + ": Flink's client refuses the answer: " + e.getMessage());
    }
    return answer.body();
  }

  private void add(String operation, List<String> found) {
    found.forEach(difference -> differences.add(operation + ": " + difference));
  }

  /** Sends a request with an effect, with Flink's client. */
  JsonNode send(String operation, Map<String, String> parameters, String body) throws Exception {
    answered.add(operation);
    return flink.send(operation, parameters, body, List.of());
  }

  JsonNode upload(String operation, Path file) throws Exception {
    answered.add(operation);
    return flink.send(operation, Map.of(), "", List.of(file));
  }

  /** The error of a request. */
  String refused(String operation, Map<String, String> parameters, int status) throws Exception {
    answered.add(operation);
    String body = parameters.getOrDefault("requirements", "");
    Rest.Answer answer =
        rest.send(
            operation.substring(0, operation.indexOf(' ')), path(operation, parameters), body);
    assertThat(answer.status()).as("%s: %s", operation, answer.body()).isEqualTo(status);
    assertThat(answer.body().path("errors")).hasSize(1);
    return answer.body().at("/errors/0").asText();
  }

  /** The path of an operation with its parameters, those that it does not name as its query. */
  private static String path(String operation, Map<String, String> parameters) {
    String path = operation.substring(operation.indexOf(' ') + 1);
    List<String> query = new ArrayList<>();
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      String value = URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8);
      if (path.matches(".*:" + parameter.getKey() + "\\b.*")) {
        path = path.replaceAll(":" + parameter.getKey() + "\\b", value);
      } else if (List.of("get", "agg", "includeSerializedValue", "parallelism")
          .contains(parameter.getKey())) {
        query.add(parameter.getKey() + "=" + value);
      }
    }
    return query.isEmpty() ? path : path + "?" + String.join("&", query);
  }

  /** How the keys and types of an answer differ from those of a recorded one. */
  private static List<String> differences(Recorded recorded, JsonNode answer) {
    Map<String, String> types = RestContract.types(answer);
    List<String> differences = new ArrayList<>();
    recorded
        .types()
        .forEach(
            (path, type) -> {
              if (path.matches(OPTIONAL) && !type.equals(types.get(path))) {
                return;
              }
              if (types.containsKey(path)) {
                boolean isQuantile = path.matches(QUANTILES);
                if (!types.get(path).equals(type) && !isQuantile) {
                  differences.add(path + " is " + types.get(path) + ", not " + type);
                }
              } else if (types.containsKey(parent(path))
                  && !isElement(path)
                  && !parent(path).matches(MAPS)) {
                differences.add(path + " is missing");
              }
            });
    for (String path : types.keySet()) {
      if (!recorded.types().containsKey(path)
          && recorded.types().containsKey(parent(path))
          && !isElement(path)
          && !parent(path).matches(MAPS)
          && !path.matches(EXTENSIONS)
          && !path.matches(OPTIONAL)) {
        differences.add(path + " is not known to Flink");
      }
    }
    return differences;
  }

  /** Elements of arrays are compared if both arrays have some. */
  private static boolean isElement(String path) {
    return path.endsWith("[]");
  }

  private static String parent(String path) {
    return isElement(path)
        ? path.substring(0, path.length() - 2)
        : path.substring(0, Math.max(0, path.lastIndexOf('/')));
  }

  /** What Flink has understood that the answer does not say. */
  private static List<String> lost(String path, JsonNode understood, JsonNode answer) {
    List<String> lost = new ArrayList<>();
    if (path.endsWith("/failure-cause")) {
      // Flink reads only the serialised throwable, whose class is in Flink's own words.
      return lost;
    }
    if (understood.isObject()) {
      for (Map.Entry<String, JsonNode> field : understood.properties()) {
        String below = path + "/" + field.getKey();
        if (answer.has(field.getKey())) {
          lost.addAll(lost(below, field.getValue(), answer.get(field.getKey())));
        } else if (!field.getValue().isNull()) {
          lost.add(below + " is missing, Flink assumes " + field.getValue());
        }
      }
    } else if (understood.isArray()) {
      if (understood.size() != answer.size()) {
        lost.add(path + " has " + answer.size() + " elements, Flink reads " + understood.size());
      } else {
        for (int i = 0; i < understood.size(); i++) {
          lost.addAll(lost(path + "/" + i, understood.get(i), answer.get(i)));
        }
      }
    } else if (understood.isNumber() && answer.isNumber()
        ? understood.asDouble() != answer.asDouble()
        : !understood.equals(answer)) {
      lost.add(path + " is " + answer + ", Flink reads " + understood);
    }
    return lost;
  }
}
