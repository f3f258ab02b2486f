package io.millrace.rest;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What differs between two JSON values. An array with one element replaces a value by it, an empty
 * array removes it. An object changes the members of an object, or the elements of an array by
 * their index: {@code {"vertices":{"3":{"duration":[1200]}}}}. An array that has another length
 * than before is replaced.
 */
final class JsonChanges {
  private JsonChanges() {}

  /** The changes; empty if there are none. */
  static Optional<Object> between(Object before, Object after) {
    if (before instanceof JsonObject old && after instanceof JsonObject current) {
      return ofMembers(old, current);
    }
    if (before instanceof JsonArray old
        && after instanceof JsonArray current
        && old.size() == current.size()) {
      return ofElements(old, current);
    }
    return before.equals(after) ? Optional.empty() : Optional.of(replacement(after));
  }

  private static Optional<Object> ofMembers(JsonObject before, JsonObject after) {
    JsonObject changes = new JsonObject();
    Set<String> names = new LinkedHashSet<>(before.fieldNames());
    names.addAll(after.fieldNames());
    for (String name : names) {
      if (!after.containsKey(name)) {
        changes.put(name, new JsonArray());
      } else if (!before.containsKey(name)) {
        changes.put(name, replacement(after.getValue(name)));
      } else {
        put(changes, name, before.getValue(name), after.getValue(name));
      }
    }
    return changes.isEmpty() ? Optional.empty() : Optional.of(changes);
  }

  private static Optional<Object> ofElements(JsonArray before, JsonArray after) {
    JsonObject changes = new JsonObject();
    for (int i = 0; i < after.size(); i++) {
      put(changes, String.valueOf(i), before.getValue(i), after.getValue(i));
    }
    return changes.isEmpty() ? Optional.empty() : Optional.of(changes);
  }

  private static void put(JsonObject changes, String name, Object before, Object after) {
    if (before == null || after == null) {
      if (before != after) {
        changes.put(name, replacement(after));
      }
    } else {
      between(before, after).ifPresent(change -> changes.put(name, change));
    }
  }

  private static JsonArray replacement(Object value) {
    return new JsonArray().add(value);
  }
}
