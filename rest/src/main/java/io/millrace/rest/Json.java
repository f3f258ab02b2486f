package io.millrace.rest;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.JacksonCodec;
import java.util.List;
import java.util.function.Function;

/**
 * Encodes and decodes JSON trees. Uses this codec explicitly, because the default of Vert.x loads
 * all of Jackson's data binding.
 */
final class Json {
  private static final JacksonCodec CODEC = new JacksonCodec();

  private Json() {}

  /** Encodes an object, an array or a simple value. */
  static Buffer encodeValue(Object json) {
    return CODEC.toBuffer(json, false);
  }

  static Buffer encode(JsonObject json) {
    return CODEC.toBuffer(json, false);
  }

  static Buffer encode(JsonArray json) {
    return CODEC.toBuffer(json, false);
  }

  /** Decodes an object. An empty text is an empty object. */
  static JsonObject decode(Buffer text) {
    if (text.length() == 0) {
      return new JsonObject();
    }
    try {
      if (CODEC.fromBuffer(text) instanceof JsonObject object) {
        return object;
      }
      throw new RestError(400, "The body must be a JSON object.");
    } catch (DecodeException e) {
      throw new RestError(400, "The body is not JSON.", e);
    }
  }

  /** Decodes an object that this process has encoded. */
  static JsonObject decode(String text) {
    return (JsonObject) CODEC.fromString(text);
  }

  /** Decodes any value that this process has encoded; nothing is null. */
  static Object value(Buffer text) {
    return text.length() == 0 ? null : CODEC.fromBuffer(text);
  }

  static <T> JsonArray array(List<T> elements, Function<T, JsonObject> view) {
    JsonArray array = new JsonArray();
    elements.forEach(element -> array.add(view.apply(element)));
    return array;
  }
}
