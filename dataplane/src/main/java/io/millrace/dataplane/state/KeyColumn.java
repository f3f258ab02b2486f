package io.millrace.dataplane.state;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.function.LongFunction;

/**
 * Keys by slot. Keys that are all longs, or all ints, are stored as primitive numbers; others as
 * objects.
 */
final class KeyColumn {
  private enum Kind {
    NONE,
    LONG,
    INT,
    OBJECT
  }

  private Kind kind = Kind.NONE;
  private LongColumn numbers;
  private ObjectColumn objects;

  static int hash(long number) {
    long mixed = number * 0x9E3779B97F4A7C15L;
    return (int) (mixed ^ mixed >>> 32);
  }

  private static int hash(Object key) {
    int mixed = hashCode(key) * 0x9E3779B9;
    return mixed ^ mixed >>> 16;
  }

  /** As {@link Object#hashCode}, except for byte arrays, which are compared by content. */
  static int hashCode(Object key) {
    return key instanceof byte[] bytes ? Arrays.hashCode(bytes) : Objects.hashCode(key);
  }

  /** As {@link Object#equals}, with the same exception. */
  static boolean equal(Object one, Object other) {
    return Objects.equals(one, other)
        || one instanceof byte[] bytes
            && other instanceof byte[] others
            && Arrays.equals(bytes, others);
  }

  /** The hash of a key. Changes when a key of another kind is added. */
  int hashOf(Object key) {
    if (key instanceof Long number && kind != Kind.INT && kind != Kind.OBJECT) {
      return hash((long) number);
    }
    if (key instanceof Integer number && kind != Kind.LONG && kind != Kind.OBJECT) {
      return hash((long) number);
    }
    return hash(key);
  }

  int hashAt(int slot) {
    return kind == Kind.OBJECT ? hash(objects.get(slot)) : hash(number(slot));
  }

  /** Whether all keys are longs. Decides it if there is no key yet. */
  boolean areLongs() {
    return kind == Kind.LONG || kind == Kind.NONE && startNumbers(Kind.LONG);
  }

  /** Whether all keys are ints. Decides it if there is no key yet. */
  boolean areInts() {
    return kind == Kind.INT || kind == Kind.NONE && startNumbers(Kind.INT);
  }

  private boolean startNumbers(Kind numberKind) {
    kind = numberKind;
    numbers = new LongColumn();
    return true;
  }

  long number(int slot) {
    return numbers.get(slot);
  }

  boolean isAt(int slot, Object key) {
    return switch (kind) {
      case LONG -> key instanceof Long number && number(slot) == number;
      case INT -> key instanceof Integer number && number(slot) == number;
      case OBJECT -> equal(objects.get(slot), key);
      case NONE -> false;
    };
  }

  Object at(int slot) {
    return switch (kind) {
      case LONG -> (Object) number(slot);
      case INT -> (Object) (int) number(slot);
      default -> objects.get(slot);
    };
  }

  /**
   * Whether a key has the kind of this column; if not, call {@link #generalise} before {@link
   * #put}.
   */
  boolean fits(Object key) {
    return switch (kind) {
      case LONG -> key instanceof Long;
      case INT -> key instanceof Integer;
      default -> true;
    };
  }

  /** Stores the keys of the slots below this one as objects from now on. */
  void generalise(int slots) {
    ObjectColumn column = new ObjectColumn();
    for (int slot = 0; slot < slots; slot++) {
      column.ensureCapacity(slot);
      column.set(slot, at(slot));
    }
    objects = column;
    numbers = null;
    kind = Kind.OBJECT;
  }

  /** Stores a key in a column of objects. */
  void put(int slot, Object key) {
    if (kind == Kind.NONE) {
      kind = Kind.OBJECT;
      objects = new ObjectColumn();
    }
    objects.ensureCapacity(slot);
    objects.set(slot, key);
  }

  /** Stores a key in a column of longs or ints. */
  void put(int slot, long number) {
    numbers.set(slot, number);
  }

  /** The keys as they are now; {@code end} and {@code empty} tell which slots have one. */
  FrozenKeys freeze(int end, BitSet empty) {
    return switch (kind) {
      case NONE -> new FrozenKeys(end, empty, slot -> null, () -> {});
      case LONG -> frozen(end, empty, number -> number);
      case INT -> frozen(end, empty, number -> (int) number);
      case OBJECT -> {
        ObjectColumn column = objects;
        Object[][] chunks = column.freeze();
        yield new FrozenKeys(
            end,
            empty,
            slot -> chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK],
            column::release);
      }
    };
  }

  private FrozenKeys frozen(int end, BitSet empty, LongFunction<Object> boxed) {
    LongColumn column = numbers;
    long[][] chunks = column.freeze();
    return new FrozenKeys(
        end,
        empty,
        slot ->
            boxed.apply(chunks[slot >>> ObjectColumn.CHUNK_BITS][slot & ObjectColumn.CHUNK_MASK]),
        column::release);
  }

  /** Clears an object, so that it can be collected. */
  void clear(int slot) {
    if (kind == Kind.OBJECT) {
      objects.set(slot, null);
    }
  }
}
