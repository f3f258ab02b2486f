package io.millrace.dataplane.records;

import java.io.Externalizable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Finds the classes whose objects are trees: no path leads from an object to itself. Such records
 * are serialised without tracking references, which halves the cost. A class qualifies if each
 * field is a value, an array of primitives, or of a final class that qualifies.
 *
 * <p>Belongs to one job, because it holds its classes. Not thread-safe.
 */
final class AcyclicTypes {
  private static final List<Class<?>> VALUES =
      List.of(
          String.class,
          Boolean.class,
          Byte.class,
          Short.class,
          Character.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigDecimal.class,
          BigInteger.class,
          UUID.class,
          Instant.class,
          Duration.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class);

  private final Map<Class<?>, Boolean> known = new HashMap<>();
  private Class<?> last;

  /**
   * @param values further classes that count as values
   */
  AcyclicTypes(Set<Class<?>> values) {
    values.forEach(type -> known.put(type, true));
  }

  /** Whether all records in a range are trees. */
  boolean all(Object[] records, int from, int to) {
    for (int i = from; i < to; i++) {
      Class<?> type = records[i] == null ? last : records[i].getClass();
      if (type != last) {
        if (!is(type)) {
          return false;
        }
        last = type;
      }
    }
    return true;
  }

  private boolean is(Class<?> type) {
    Boolean answer = known.get(type);
    if (answer == null) {
      // The answer for a class that contains itself.
      known.put(type, false);
      answer = isValue(type) || hasOnlyTrees(type);
      known.put(type, answer);
    }
    return answer;
  }

  private static boolean isValue(Class<?> type) {
    return type.isPrimitive()
        || type.isEnum()
        || VALUES.contains(type)
        || type.isArray() && type.getComponentType().isPrimitive();
  }

  private boolean hasOnlyTrees(Class<?> type) {
    if (type.isArray()
        || type.isInterface()
        || type.getClassLoader() == null
        || Externalizable.class.isAssignableFrom(type)) {
      return false;
    }
    for (Class<?> part = type; part != Object.class && part != null; part = part.getSuperclass()) {
      if (decidesItself(part)) {
        return false;
      }
      for (Field field : part.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !isFixed(field.getType())) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether the class of a field determines the class of its value. */
  private boolean isFixed(Class<?> type) {
    return isValue(type) || Modifier.isFinal(type.getModifiers()) && is(type);
  }

  /** Whether a class customises its serialisation, so that its fields do not determine it. */
  private static boolean decidesItself(Class<?> type) {
    for (var method : type.getDeclaredMethods()) {
      switch (method.getName()) {
        case "writeObject", "readObject", "writeReplace", "readResolve" -> {
          return true;
        }
        default -> {}
      }
    }
    return false;
  }
}
