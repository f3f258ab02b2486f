package io.millrace.graph;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The fields of a key class: the components of a record, else the fields that are not transient,
 * sorted by name, those of superclasses first. Reflection guarantees no order of fields.
 */
final class KeyFields {
  /** The number of keys of a class that are checked and kept. */
  private static final int CHECKED_KEYS = 4096;

  private static final ClassValue<KeyFields> KNOWN =
      new ClassValue<>() {
        @Override
        protected KeyFields computeValue(Class<?> type) {
          return new KeyFields(type);
        }
      };

  private final Class<?> type;
  private final List<String> names = new ArrayList<>();
  private final Method[] accessors;
  private final Field[] fields;

  /** The first keys, each equal to itself. */
  private final Map<Object, Object> first = new ConcurrentHashMap<>();

  /** The number of keys that are still checked. A lost update of a thread is harmless. */
  private int unchecked = CHECKED_KEYS;

  private KeyFields(Class<?> type) {
    this.type = type;
    List<Method> methods = new ArrayList<>();
    List<Field> found = new ArrayList<>();
    if (type.isRecord()) {
      for (RecordComponent component : type.getRecordComponents()) {
        names.add(component.getName());
        methods.add(opened(component.getAccessor(), component.getName()));
      }
    } else {
      for (Field field : fieldsOf(type)) {
        names.add(field.getName());
        found.add(opened(field, field.getName()));
      }
    }
    accessors = methods.toArray(new Method[0]);
    fields = found.toArray(new Field[0]);
  }

  static KeyFields of(Class<?> type) {
    return KNOWN.get(type);
  }

  /** The fields that are part of a key of this class. */
  static List<Field> fieldsOf(Class<?> type) {
    List<Field> all = new ArrayList<>();
    for (Class<?> part = type; part != Object.class && part != null; part = part.getSuperclass()) {
      List<Field> own = new ArrayList<>();
      for (Field field : part.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (!Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers)) {
          own.add(field);
        }
      }
      own.sort(Comparator.comparing(Field::getName));
      all.addAll(0, own);
    }
    return all;
  }

  private <A extends AccessibleObject> A opened(A part, String name) {
    try {
      part.setAccessible(true);
    } catch (InaccessibleObjectException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Field '"
              + name
              + "' of keys of "
              + type.getName()
              + " cannot be read, because its module does not open the package. Use a key of public"
              + " types, or open the package.",
          e);
    }
    return part;
  }

  int size() {
    return names.size();
  }

  String name(int part) {
    return names.get(part);
  }

  Object read(Object key, int part) {
    try {
      return fields.length > 0 ? fields[part].get(key) : accessors[part].invoke(key);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("Fields of keys were made accessible", e);
    } catch (InvocationTargetException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Field '"
              + names.get(part)
              + "' of a key of "
              + type.getName()
              + " cannot be read: its accessor threw "
              + e.getCause(),
          e);
    }
  }

  /**
   * Checks for the first keys of a class that equal keys have equal fields. Otherwise equal keys
   * would go to different tasks, and results would be wrong without an error.
   */
  void checkEquals(Object key, long hash, ToLongFunction<Object> hashOf) {
    if (unchecked <= 0) {
      return;
    }
    if (--unchecked <= 0) {
      first.clear();
      return;
    }
    Object earlier = first.putIfAbsent(key, key);
    if (earlier == null || earlier == key) {
      return;
    }
    for (int i = 0; i < size(); i++) {
      Object one = read(earlier, i);
      Object other = read(key, i);
      if (hashOf.applyAsLong(one) != hashOf.applyAsLong(other)) {
        throw new MillraceException(
            ErrorKind.USER,
            "Two keys of "
                + type.getName()
                + " are equal by equals(), but differ in '"
                + names.get(i)
                + "'. All fields of a key decide about its task. "
                + (type.isRecord()
                    ? "Leave that component out of the key."
                    : "Make the field transient, or leave it out of the key."));
      }
    }
  }
}
