package io.millrace.dataplane.records;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds the value in a record that cannot be serialised, and the path of fields to it, for the
 * error message. It visits a limited number of objects and only fields that it may read.
 */
final class UnserializableValueFinder {
  private static final int MAX_OBJECTS = 100_000;

  /**
   * A value and the path to it.
   *
   * @param holder the object that holds the value, null for a record
   * @param step the last part of the path; the simple name of the class for a record
   */
  record Found(Found holder, String step, Object value) {
    String path() {
      ArrayDeque<String> steps = new ArrayDeque<>();
      for (Found at = this; at != null; at = at.holder) {
        steps.push(at.step);
      }
      return String.join("", steps);
    }
  }

  private final Predicate<String> allowed;
  private final Set<Class<?>> opaque;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final ArrayDeque<Found> ahead = new ArrayDeque<>();

  /**
   * @param allowed tells by name whether a record may contain a class
   * @param opaque classes with serializers of their own, which are not inspected
   */
  UnserializableValueFinder(Predicate<String> allowed, Set<Class<?>> opaque) {
    this.allowed = allowed;
    this.opaque = opaque;
  }

  /** The nearest such value in the records {@code [from, to)}, if there is one. */
  Optional<Found> in(Object[] records, int from, int to) {
    for (int i = from; i < to; i++) {
      if (records[i] != null) {
        add(null, nameOf(records[i].getClass()), records[i]);
      }
      while (!ahead.isEmpty() && seen.size() < MAX_OBJECTS) {
        Found next = ahead.poll();
        if (!isAllowed(next.value().getClass())) {
          return Optional.of(next);
        }
        open(next, next.value());
      }
    }
    return Optional.empty();
  }

  /** The declared type of a field and the path to it. */
  record Declared(String path, Class<?> type) {}

  /**
   * The nearest field in the classes of these records whose declared type cannot be serialised,
   * whether or not it has a value.
   */
  Optional<Declared> declaredBy(Object[] records, int from, int to) {
    ArrayDeque<Declared> open = new ArrayDeque<>();
    Set<Class<?>> known = new HashSet<>();
    for (int i = from; i < to; i++) {
      if (records[i] != null) {
        open.add(new Declared(nameOf(records[i].getClass()), records[i].getClass()));
      }
    }
    while (!open.isEmpty()) {
      Declared holder = open.poll();
      for (Field field : fieldsOf(holder.type(), known)) {
        Class<?> type = field.getType();
        Declared declared = new Declared(holder.path() + "." + field.getName(), type);
        if (!type.isInterface() && !Modifier.isAbstract(type.getModifiers()) && !isAllowed(type)) {
          return Optional.of(declared);
        }
        open.add(declared);
      }
    }
    return Optional.empty();
  }

  /** The serialised fields of a class that was not visited before. */
  private List<Field> fieldsOf(Class<?> type, Set<Class<?>> known) {
    List<Field> fields = new ArrayList<>();
    for (Class<?> part = type;
        part != null && part.getClassLoader() != null && !opaque.contains(part) && known.add(part);
        part = part.getSuperclass()) {
      for (Field field : part.getDeclaredFields()) {
        if (isWritten(field)) {
          fields.add(field);
        }
      }
    }
    return fields;
  }

  private static boolean isWritten(Field field) {
    int modifiers = field.getModifiers();
    return !Modifier.isStatic(modifiers)
        && !Modifier.isTransient(modifiers)
        && !field.getType().isPrimitive();
  }

  private static String nameOf(Class<?> type) {
    return type.getSimpleName().isEmpty() ? type.getName() : type.getSimpleName();
  }

  private boolean isAllowed(Class<?> type) {
    return !type.isHidden() && allowed.test(type.getName());
  }

  private void add(Found holder, String step, Object value) {
    if (value != null && seen.add(value)) {
      ahead.add(new Found(holder, step, value));
    }
  }

  private void open(Found in, Object value) {
    Class<?> type = value.getClass();
    if (opaque.contains(type)) {
      return;
    }
    if (type.isArray()) {
      for (int i = 0; !type.getComponentType().isPrimitive() && i < Array.getLength(value); i++) {
        add(in, "[" + i + "]", Array.get(value, i));
      }
    } else if (type.getClassLoader() != null) {
      openFields(in, value);
    } else if (value instanceof Collection<?> many) {
      int i = 0;
      for (Object one : many) {
        add(in, "[" + i++ + "]", one);
      }
    } else if (value instanceof Map<?, ?> map) {
      map.forEach(
          (key, held) -> {
            add(in, ".key", key);
            add(in, "[" + shown(key) + "]", held);
          });
    } else if (value instanceof Map.Entry<?, ?> entry) {
      add(in, ".key", entry.getKey());
      add(in, ".value", entry.getValue());
    } else if (value instanceof Optional<?> maybe) {
      add(in, ".value", maybe.orElse(null));
    }
  }

  /** Only for classes whose toString is short and cannot fail. */
  private static String shown(Object key) {
    return key instanceof String || key instanceof Number || key instanceof Enum<?>
        ? String.valueOf(key)
        : "…";
  }

  private void openFields(Found in, Object value) {
    if (value instanceof Enum<?>) {
      return;
    }
    for (Class<?> part = value.getClass();
        part != null && part.getClassLoader() != null;
        part = part.getSuperclass()) {
      for (Field field : part.getDeclaredFields()) {
        if (isWritten(field)) {
          open(in, value, field);
        }
      }
    }
  }

  private void open(Found in, Object value, Field field) {
    try {
      field.setAccessible(true);
      add(in, "." + field.getName(), field.get(value));
    } catch (InaccessibleObjectException | IllegalAccessException closed) {
      // A field that cannot be read is not serialised either.
      return;
    }
  }
}
