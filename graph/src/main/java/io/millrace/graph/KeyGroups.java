package io.millrace.graph;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;

/**
 * Which key group a key belongs to and which subtask owns a group.
 *
 * <p>The group of a key decides where its state lives, so it comes out the same in every JVM and
 * every release. It is a hash over a canonical form of the key: a tag for the kind of value and its
 * content; strings and the names of enum constants by the polynomial that the Java language fixes
 * for strings (a string keeps it, so that hashing one twice costs nothing), records and lists by
 * their parts in order. {@code hashCode} of anything else is not used: those of enums and records
 * differ between JVMs.
 */
public final class KeyGroups {
  private static final long NOTHING = 1;
  private static final long BOOLEAN = 2;
  private static final long BYTE = 3;
  private static final long SHORT = 4;
  private static final long CHARACTER = 5;
  private static final long INTEGER = 6;
  private static final long LONG = 7;
  private static final long FLOAT = 8;
  private static final long DOUBLE = 9;
  private static final long STRING = 10;
  private static final long ENUM = 11;
  private static final long LIST = 12;
  private static final long RECORD = 13;

  /** Spreads the tags over all bits; odd, so that no two tags meet. */
  private static final long TAG = 0x9e3779b97f4a7c15L;

  private static final ClassValue<Method[]> ACCESSORS =
      new ClassValue<>() {
        @Override
        protected Method[] computeValue(Class<?> type) {
          RecordComponent[] components = type.getRecordComponents();
          Method[] accessors = new Method[components.length];
          for (int i = 0; i < components.length; i++) {
            accessors[i] = components[i].getAccessor();
            accessors[i].setAccessible(true);
          }
          return accessors;
        }
      };

  private KeyGroups() {}

  /** The key's group, from 0 to {@code maxParallelism - 1}. */
  public static int groupOf(Object key, int maxParallelism) {
    if (key == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "The key of a record is null. Give such records a key of their own or filter them out"
              + " before keyBy.");
    }
    // Multiplying and keeping the upper half maps 32 hashed bits evenly, without a division.
    return (int) (((hash(key) >>> 32) * maxParallelism) >>> 32);
  }

  /** The subtask that owns a group: every one has an equal, contiguous share of them. */
  public static int subtaskOf(int group, int maxParallelism, int parallelism) {
    return (int) ((long) group * parallelism / maxParallelism);
  }

  private static long hash(Object key) {
    if (key instanceof String text) {
      return mix(STRING, text.hashCode());
    }
    if (key instanceof Integer number) {
      return mix(INTEGER, number);
    }
    if (key instanceof Long number) {
      return mix(LONG, number);
    }
    if (key instanceof Record record) {
      return hash(record);
    }
    if (key instanceof Enum<?> constant) {
      return mix(ENUM, constant.name().hashCode());
    }
    if (key instanceof List<?> list) {
      long hash = mix(LIST, list.size());
      for (Object element : list) {
        hash = mix(hash, hash(element));
      }
      return hash;
    }
    return hashOfRareKind(key);
  }

  private static long hash(Record record) {
    Method[] accessors = ACCESSORS.get(record.getClass());
    long hash = mix(RECORD, accessors.length);
    for (Method accessor : accessors) {
      hash = mix(hash, hash(part(record, accessor)));
    }
    return hash;
  }

  private static long hashOfRareKind(Object key) {
    if (key == null) {
      return mix(NOTHING, 0);
    }
    if (key instanceof Boolean flag) {
      return mix(BOOLEAN, flag ? 1 : 0);
    }
    if (key instanceof Character character) {
      return mix(CHARACTER, character);
    }
    if (key instanceof Byte number) {
      return mix(BYTE, number);
    }
    if (key instanceof Short number) {
      return mix(SHORT, number);
    }
    if (key instanceof Float number) {
      return mix(FLOAT, Float.floatToIntBits(number));
    }
    if (key instanceof Double number) {
      return mix(DOUBLE, Double.doubleToLongBits(number));
    }
    throw refused(key.getClass());
  }

  private static Object part(Record record, Method accessor) {
    try {
      return accessor.invoke(record);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("Accessors were made accessible", e);
    } catch (InvocationTargetException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Part '"
              + accessor.getName()
              + "' of a key of "
              + record.getClass().getName()
              + " cannot be read: its accessor threw "
              + e.getCause(),
          e);
    }
  }

  private static MillraceException refused(Class<?> type) {
    String advice =
        type.isArray()
            ? "Use a List or a record instead: two arrays of the same content are not equal."
            : "Use a primitive, a String, an enum, or a record or List of these; its toString() may"
                + " do.";
    return new MillraceException(
        ErrorKind.USER,
        "A key cannot be of type "
            + type.getTypeName()
            + ", because its hash is not the same in every JVM. "
            + advice);
  }

  /** Mixes every bit of both into every bit of the result. */
  private static long mix(long seed, long value) {
    long bits = seed * TAG ^ value;
    bits = (bits ^ bits >>> 33) * 0xff51afd7ed558ccdL;
    bits = (bits ^ bits >>> 33) * 0xc4ceb9fe1a85ec53L;
    return bits ^ bits >>> 33;
  }
}
