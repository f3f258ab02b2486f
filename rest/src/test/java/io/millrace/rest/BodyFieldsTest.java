package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.id.JobId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyFieldsTest {
  private static final BodyFields BODY =
      new BodyFields(
          new JsonObject(
              """
              {"text": "a", "number": 1.5, "flag": true, "none": null, "list": ["a", "b"],
               "mixed": ["a", 1], "empty": [], "object": {"port": 1, "name": "x", "null": null}}"""));

  @Test
  void fieldsHaveTheirTypes() {
    assertThat(BODY.text("text")).contains("a");
    assertThat(BODY.number("number").map(Number::doubleValue)).contains(1.5);
    assertThat(BODY.texts("list")).contains(List.of("a", "b"));
    assertThat(BODY.texts("empty")).contains(List.of());
    assertThat(BODY.settings("object").orElseThrow().names())
        .containsExactly("port", "name", "null");
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "missing"})
  void nullCountsAsAbsent(String name) {
    assertThat(BODY.has(name)).isFalse();
    assertThat(BODY.text(name)).isEmpty();
    assertThat(BODY.number(name)).isEmpty();
    assertThat(BODY.texts(name)).isEmpty();
    assertThat(BODY.settings(name)).isEmpty();
    assertThat(BODY.scalar(name)).isEmpty();
    assertThat(BODY.parsed(name, JobId::parse)).isEmpty();
  }

  @Test
  void scalarsAreTexts() {
    assertThat(BODY.scalar("text")).contains("a");
    assertThat(BODY.scalar("number")).contains("1.5");
    assertThat(BODY.scalar("flag")).contains("true");
    assertThat(BODY.settings("object").orElseThrow().scalar("port")).contains("1");
  }

  @Test
  void wrongTypesAreNamedWithTheirValue() {
    refused(body -> body.text("number"), "'number'", "a text", "1.5");
    refused(body -> body.text("flag"), "'flag'", "a text", "true");
    refused(body -> body.number("text"), "'text'", "a number", "\"a\"");
    refused(body -> body.texts("text"), "'text'", "a list of texts", "\"a\"");
    refused(body -> body.texts("mixed"), "'mixed'", "a list of texts", "[\"a\",1]");
    refused(body -> body.settings("list"), "'list'", "an object", "[\"a\",\"b\"]");
    refused(body -> body.scalar("list"), "'list'", "[\"a\",\"b\"]");
    refused(body -> body.parsed("text", JobId::parse), "'text'", "32 hex digits", "'a'");
  }

  /** A body may have a megabyte, and a log line or a terminal should not. */
  @Test
  void longValuesAreCutInTheError() {
    BodyFields body = new BodyFields(new JsonObject().put("number", "x".repeat(1_000)));

    assertThatExceptionOfType(RestError.class)
        .isThrownBy(() -> body.number("number"))
        .withMessageContaining("\"" + "x".repeat(99) + "…")
        .satisfies(e -> assertThat(e).hasMessageNotContaining("x".repeat(100)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1]", "\"text\"", "1", "null", "{", "{} x", "{a: 1}"})
  void bodyIsAnObject(String text) {
    assertThatExceptionOfType(RestError.class)
        .isThrownBy(() -> Json.decode(Buffer.buffer(text)))
        .withMessageContaining("JSON")
        .satisfies(e -> assertThat(e.status()).isEqualTo(400));
  }

  @Test
  void noBodyIsAnEmptyObject() {
    assertThat(Json.decode(Buffer.buffer())).isEqualTo(new JsonObject());
  }

  private static void refused(Function<BodyFields, ?> read, String... facts) {
    assertThatExceptionOfType(RestError.class)
        .isThrownBy(() -> read.apply(BODY))
        .satisfies(
            e -> {
              assertThat(e).hasMessageContainingAll(facts);
              assertThat(e.status()).isEqualTo(400);
            });
  }
}
