package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.UnknownClasses;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Turns values of state into trees of maps, lists, strings, numbers and booleans. An object becomes
 * a map of its fields.
 */
final class PlainValues {
  /** Deeper objects are refused, which also ends cycles. */
  private static final int MAX_DEPTH = 64;

  /** The order of fields of classes that were not found, by {@code class.field}. */
  private final Map<String, Integer> order = new LinkedHashMap<>();

  /**
   * @param schemas of the classes of the values
   */
  PlainValues(List<ClassSchema> schemas) {
    for (ClassSchema schema : schemas) {
      for (ClassSchema.FieldSchema field : schema.fields()) {
        order.putIfAbsent(field.owner() + "." + field.name(), order.size());
      }
    }
  }

  Object of(Object value) {
    return of(value, 0);
  }

  private Object of(Object value, int depth) {
    if (depth > MAX_DEPTH) {
      throw new MillraceException(
          ErrorKind.USER, "A value is nested more than " + MAX_DEPTH + " levels deep");
    }
    if (value == null || value instanceof Boolean || value instanceof String) {
      return value;
    } else if (value instanceof Double || value instanceof Float) {
      double number = ((Number) value).doubleValue();
      return Double.isFinite(number) ? value : value.toString();
    } else if (value instanceof Number) {
      return value;
    } else if (UnknownClasses.isConstant(value)) {
      throw new MillraceException(
          ErrorKind.USER,
          "A value has a constant of an enum of the program, whose name cannot be read without the"
              + " enum. Name the program with --jar");
    } else if (value instanceof Enum<?> constant) {
      return constant.name();
    } else if (value instanceof Optional<?> optional) {
      return optional.map(content -> of(content, depth + 1)).orElse(null);
    } else if (value instanceof Collection<?> elements) {
      List<Object> all = new ArrayList<>();
      elements.forEach(element -> all.add(of(element, depth + 1)));
      return all;
    } else if (value.getClass().isArray()) {
      List<Object> all = new ArrayList<>();
      for (int i = 0; i < Array.getLength(value); i++) {
        all.add(of(Array.get(value, i), depth + 1));
      }
      return all;
    }
    Optional<Map<String, Object>> unknown = UnknownClasses.fields(value);
    if (unknown.isPresent()) {
      return ordered(unknown.get(), depth);
    } else if (value instanceof Map<?, ?> map) {
      return map(map, depth);
    } else if (value.getClass().getName().startsWith("java.")) {
      return value.toString();
    }
    return fields(value, depth);
  }

  /** Maps with other keys than strings are lists of entries. */
  private Object map(Map<?, ?> map, int depth) {
    if (map.keySet().stream().allMatch(String.class::isInstance)) {
      Map<String, Object> plain = new LinkedHashMap<>();
      map.forEach((key, value) -> plain.put((String) key, of(value, depth + 1)));
      return plain;
    }
    List<Object> entries = new ArrayList<>();
    map.forEach(
        (key, value) -> {
          Map<String, Object> entry = new LinkedHashMap<>();
          entry.put("key", of(key, depth + 1));
          entry.put("value", of(value, depth + 1));
          entries.add(entry);
        });
    return entries;
  }

  private Map<String, Object> ordered(Map<String, Object> fields, int depth) {
    Map<String, Object> plain = new LinkedHashMap<>();
    TreeMap<Integer, String> known = new TreeMap<>();
    fields
        .keySet()
        .forEach(
            path -> {
              if (order.containsKey(path)) {
                known.put(order.get(path), path);
              }
            });
    known.values().forEach(path -> put(plain, path, of(fields.get(path), depth + 1)));
    new TreeMap<>(fields)
        .forEach(
            (path, value) -> {
              if (!order.containsKey(path)) {
                put(plain, path, of(value, depth + 1));
              }
            });
    return plain;
  }

  private static void put(Map<String, Object> fields, String path, Object value) {
    String name = path.substring(path.lastIndexOf('.') + 1);
    fields.put(fields.containsKey(name) ? path : name, value);
  }

  private Map<String, Object> fields(Object value, int depth) {
    Map<String, Object> plain = new LinkedHashMap<>();
    for (Class<?> type = value.getClass();
        type != null && type.getClassLoader() != null;
        type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())
            && !Modifier.isTransient(field.getModifiers())) {
          put(plain, type.getName() + "." + field.getName(), of(read(field, value), depth + 1));
        }
      }
    }
    return plain;
  }

  private static Object read(Field field, Object from) {
    try {
      field.setAccessible(true);
      return field.get(from);
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      throw new MillraceException(
          ErrorKind.USER, "Field " + field + " of a value cannot be read: " + e.getMessage(), e);
    }
  }
}
