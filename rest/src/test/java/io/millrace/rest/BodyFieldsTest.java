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
import org.junit.jupiter.params.provider.CsvSource;
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
    refused(body -> body.text("number"), "'number' in the body wants a text, not 1.5.");
    refused(body -> body.text("flag"), "'flag' in the body wants a text, not true.");
    refused(body -> body.number("text"), "'text' in the body wants a number, not \"a\".");
    refused(body -> body.texts("text"), "'text' in the body wants a list of texts, not \"a\".");
    refused(
        body -> body.texts("mixed"), "'mixed' in the body wants a list of texts, not [\"a\",1].");
    refused(
        body -> body.settings("list"), "'list' in the body wants an object, not [\"a\",\"b\"].");
    refused(
        body -> body.scalar("list"),
        "'list' in the body wants a text, a number or a flag, not [\"a\",\"b\"].");
    refused(
        body -> body.parsed("text", JobId::parse),
        "'text' in the body: An id must have 32 hex digits, but is 'a'.");
  }

  /** A body may have a megabyte, and a log line or a terminal should not. */
  @Test
  void longValuesAreCutInTheError() {
    BodyFields body = new BodyFields(new JsonObject().put("number", "x".repeat(1_000)));

    assertThatExceptionOfType(RestError.class)
        .isThrownBy(() -> body.number("number"))
        .withMessage("'number' in the body wants a number, not \"" + "x".repeat(99) + "….");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "[1]; The body is JSON, but not an object.",
        "\"text\"; The body is JSON, but not an object.",
        "1; The body is JSON, but not an object.",
        "null; The body is JSON, but not an object.",
        "{; The body is not JSON.",
        "{} x; The body is not JSON.",
        "{a: 1}; The body is not JSON.",
      })
  void bodyIsAnObject(String text, String error) {
    assertThatExceptionOfType(RestError.class)
        .isThrownBy(() -> Json.decode(Buffer.buffer(text)))
        .withMessage(error)
        .satisfies(e -> assertThat(e.status()).isEqualTo(400));
  }

  @Test
  void noBodyIsAnEmptyObject() {
    assertThat(Json.decode(Buffer.buffer())).isEqualTo(new JsonObject());
  }

  private static void refused(Function<BodyFields, ?> read, String error) {
    assertThatExceptionOfType(RestError.class)
        .isThrownBy(() -> read.apply(BODY))
        .withMessage(error)
        .satisfies(e -> assertThat(e.status()).isEqualTo(400));
  }
}
