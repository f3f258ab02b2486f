package io.millrace.dataplane.records;

import io.millrace.core.error.MillraceException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * Copies values that a program may change in place, by serialising them. Values that cannot change
 * are not copied. Belongs to the task's step.
 */
public final class ValueCopier implements UnaryOperator<Object> {
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
          UUID.class);

  private final CodecPool codecs;
  private final Map<Class<?>, Boolean> immutable = new HashMap<>();

  public ValueCopier(CodecPool codecs) {
    this.codecs = codecs;
  }

  /** An equal value that is independent of this one; the value itself if it cannot change. */
  @Override
  public Object apply(Object value) {
    if (value == null || isImmutable(value.getClass())) {
      return value;
    }
    RecordBatchCodec codec = codecs.borrowCodec();
    ByteArrayOutput bytes = codecs.borrowOutput();
    try {
      codec.encode(new Object[] {value}, 0, 1, bytes);
      return codec.decode(bytes.array(), 0, bytes.size()).records()[0];
    } catch (MillraceException e) {
      // The snapshot, which has to serialise the value, too, reports that it cannot.
      return value;
    } finally {
      codecs.returnOutput(bytes);
      codecs.returnCodec(codec);
    }
  }

  /**
   * The first elements of an array, with copies in place of those that may change; the array itself
   * if none may.
   */
  public Object copyElements(Object array, int count) {
    if (!(array instanceof Object[] elements)) {
      return array;
    }
    Object[] copy = null;
    for (int i = 0; i < count; i++) {
      Object own = apply(elements[i]);
      if (own != elements[i]) {
        if (copy == null) {
          copy = elements.clone();
        }
        copy[i] = own;
      }
    }
    return copy == null ? array : copy;
  }

  /** Whether all objects of a class never change. */
  private boolean isImmutable(Class<?> type) {
    Boolean known = immutable.get(type);
    if (known == null) {
      // The answer for a record that contains itself, which is a chain of records.
      immutable.put(type, false);
      known = decide(type);
      immutable.put(type, known);
    }
    return known;
  }

  private boolean decide(Class<?> type) {
    if (type.isPrimitive()
        || VALUES.contains(type)
        || Enum.class.isAssignableFrom(type)
        || type.getName().startsWith("java.time.")) {
      return true;
    }
    if (!type.isRecord()) {
      return false;
    }
    for (RecordComponent component : type.getRecordComponents()) {
      // A value of a class that is not final may be of a subclass that changes.
      if (!isImmutable(component.getType())) {
        return false;
      }
    }
    return true;
  }
}
