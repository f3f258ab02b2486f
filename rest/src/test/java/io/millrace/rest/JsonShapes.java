package io.millrace.rest;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** Recorded responses, and the shape of JSON: its paths and types without values. */
final class JsonShapes {
  private JsonShapes() {}

  /** A recording: {@code request}, {@code status} and {@code response}. */
  static JsonObject sample(String name) {
    try (InputStream in = JsonShapes.class.getResourceAsStream("/samples/" + name + ".json")) {
      return new JsonObject(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A recording without values: {@code request}, {@code status} and {@code shape}. */
  static JsonObject shape(String name) {
    try (InputStream in = JsonShapes.class.getResourceAsStream("/shapes/" + name + ".json")) {
      return new JsonObject(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The paths and types of a recording without values. */
  static Map<String, String> paths(JsonObject recorded) {
    Map<String, String> paths = new TreeMap<>();
    recorded
        .getJsonObject("shape")
        .forEach(path -> paths.put(path.getKey(), (String) path.getValue()));
    return paths;
  }

  /** Each path of a tree with its JSON type; elements of an array share one path. */
  static Map<String, String> of(Object json) {
    Map<String, String> shape = new TreeMap<>();
    collect("", json, shape);
    return shape;
  }

  private static void collect(String path, Object json, Map<String, String> shape) {
    shape.put(path, type(json));
    if (json instanceof JsonObject object) {
      object.forEach(entry -> collect(path + "/" + entry.getKey(), entry.getValue(), shape));
    } else if (json instanceof JsonArray array) {
      array.forEach(element -> collect(path + "[]", element, shape));
    }
  }

  private static String type(Object json) {
    if (json instanceof JsonObject) {
      return "object";
    } else if (json instanceof JsonArray) {
      return "array";
    } else if (json instanceof String) {
      return "text";
    } else if (json instanceof Boolean) {
      return "flag";
    } else if (json instanceof Double) {
      return "fraction";
    } else if (json instanceof Number) {
      return "integer";
    }
    if (json == null) {
      return "null";
    }
    throw new IllegalArgumentException("Not JSON: " + json);
  }
}
