package io.millrace.rest;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The fields of a JSON body. A field of the wrong type is rejected with its name and value. A field
 * with the value null is treated as absent.
 */
final class BodyFields {
  private static final int MAX_VALUE_LENGTH = 100;

  private final JsonObject body;

  BodyFields(JsonObject body) {
    this.body = body;
  }

  boolean has(String name) {
    return body.getValue(name) != null;
  }

  /** Rejects other fields: a misspelled one would silently have no effect. */
  void requireKnown(List<String> known) {
    for (String name : names()) {
      if (has(name) && !known.contains(name)) {
        throw new RestError(
            400,
            "The body has an unknown field '"
                + name
                + "'. Its fields are "
                + String.join(", ", known)
                + ".");
      }
    }
  }

  Optional<String> text(String name) {
    return find(name, String.class, "a text");
  }

  /** A text that is parsed into another type, for example an id. */
  <T> Optional<T> parsed(String name, Function<String, T> parser) {
    return text(name)
        .map(
            text -> {
              try {
                return parser.apply(text);
              } catch (IllegalArgumentException e) {
                throw new RestError(400, "'" + name + "' in the body: " + e.getMessage() + ".", e);
              }
            });
  }

  /** A truth value that is false if absent. */
  boolean flag(String name) {
    return find(name, Boolean.class, "true or false").orElse(false);
  }

  Optional<Number> number(String name) {
    return find(name, Number.class, "a number");
  }

  Optional<List<String>> texts(String name) {
    return find(name, JsonArray.class, "a list of texts")
        .map(
            list -> {
              if (!list.stream().allMatch(String.class::isInstance)) {
                throw wrongType(name, "a list of texts", list);
              }
              return list.stream().map(String.class::cast).toList();
            });
  }

  /** An object whose values are texts, numbers and booleans. Null values are treated as absent. */
  Optional<BodyFields> settings(String name) {
    return find(name, JsonObject.class, "an object").map(BodyFields::new);
  }

  Iterable<String> names() {
    return body.fieldNames();
  }

  /** A text, a number or a boolean, converted to text. */
  Optional<String> scalar(String name) {
    Object value = body.getValue(name);
    if (value instanceof JsonObject || value instanceof JsonArray) {
      throw wrongType(name, "a text, a number or a boolean", value);
    }
    return Optional.ofNullable(value).map(String::valueOf);
  }

  private <T> Optional<T> find(String name, Class<T> type, String expected) {
    Object value = body.getValue(name);
    if (value != null && !type.isInstance(value)) {
      throw wrongType(name, expected, value);
    }
    return Optional.ofNullable(type.cast(value));
  }

  private static RestError wrongType(String name, String expected, Object value) {
    String shown =
        value instanceof JsonObject object
            ? object.encode()
            : value instanceof JsonArray array
                ? array.encode()
                : value instanceof String text ? '"' + text + '"' : String.valueOf(value);
    return new RestError(
        400,
        "'"
            + name
            + "' in the body must be "
            + expected
            + ", not "
            + (shown.length() > MAX_VALUE_LENGTH
                ? shown.substring(0, MAX_VALUE_LENGTH) + "…"
                : shown)
            + ".");
  }
}
