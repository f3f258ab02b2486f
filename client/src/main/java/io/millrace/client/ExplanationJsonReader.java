package io.millrace.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Explanation.Place;
import io.millrace.protocol.rest.Explanation.Said;
import io.millrace.protocol.rest.Explanation.Unmet;
import io.millrace.protocol.rest.Timeline;
import io.millrace.protocol.rest.Timeline.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads explanations and timelines from the JSON of the REST API. */
final class ExplanationJsonReader {
  private ExplanationJsonReader() {}

  static Explanation explanation(JsonNode json) {
    return new Explanation(
        JobId.parse(json.path("jid").asText()),
        json.path("name").asText(),
        JobStatus.valueOf(json.path("state").asText()),
        json.path("since").asLong(-1),
        json.path("summary").asText(),
        list(json.path("unmet"), ExplanationJsonReader::unmet),
        list(json.path("places"), ExplanationJsonReader::place),
        list(json.path("causes"), ExplanationJsonReader::said),
        list(json.path("notes"), JsonNode::asText));
  }

  static Timeline timeline(JsonNode json) {
    return new Timeline(
        JobId.parse(json.path("jid").asText()),
        json.path("name").asText(),
        JobStatus.valueOf(json.path("state").asText()),
        json.path("now").asLong(),
        list(json.path("steps"), ExplanationJsonReader::step),
        json.path("dropped-events").asLong(),
        list(json.path("notes"), JsonNode::asText));
  }

  private static Unmet unmet(JsonNode json) {
    return new Unmet(
        json.path("profile").asText(),
        json.path("required").asInt(),
        json.path("missing").asInt(),
        list(json.path("asked"), ExplanationJsonReader::said),
        json.path("answer").asText(),
        json.path("answered").asLong(-1),
        list(json.path("fixes"), JsonNode::asText));
  }

  private static Place place(JsonNode json) {
    return new Place(
        new WorkerId(json.path("taskmanager").asText()),
        json.path("slots").asInt(),
        json.path("tasks").asInt(),
        json.path("granted").asLong(-1),
        json.path("took").asLong(-1),
        json.path("sentence").asText());
  }

  private static Said said(JsonNode json) {
    return new Said(
        json.path("time").asLong(-1), json.path("who").asText(), json.path("sentence").asText());
  }

  private static Step step(JsonNode json) {
    return new Step(
        json.path("round").asInt(),
        json.path("step").asText(),
        json.path("process").asText(),
        json.path("start-time").asLong(),
        json.path("end-time").asLong(-1),
        json.path("count").asInt(),
        json.path("detail").asText());
  }

  private static <T> List<T> list(JsonNode array, Function<JsonNode, T> element) {
    List<T> list = new ArrayList<>();
    array.forEach(json -> list.add(element.apply(json)));
    return list;
  }
}
