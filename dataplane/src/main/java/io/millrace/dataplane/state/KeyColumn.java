package io.millrace.dataplane.state;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.function.LongFunction;

/**
 * Keys by slot. Longs lie in chunks of longs and so do ints, as long as all keys are of that one
 * class; others lie as they are.
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

  /** As {@link Object#hashCode}, but for byte arrays, which are keys by their content. */
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

  /** The hash of a key, as long as no key of another kind comes. */
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

  /** Whether all keys are longs; so they are from the first one on that asks. */
  boolean areLongs() {
    return kind == Kind.LONG || kind == Kind.NONE && begin(Kind.LONG);
  }

  /** Whether all keys are ints, likewise. */
  boolean areInts() {
    return kind == Kind.INT || kind == Kind.NONE && begin(Kind.INT);
  }

  private boolean begin(Kind numbersOf) {
    kind = numbersOf;
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

  /** Whether a key fits what is there; if not, {@link #generalise} before it is put. */
  boolean fits(Object key) {
    return switch (kind) {
      case LONG -> key instanceof Long;
      case INT -> key instanceof Integer;
      default -> true;
    };
  }

  /** Keeps all keys of the slots below this one as objects from now on. */
  void generalise(int slots) {
    ObjectColumn column = new ObjectColumn();
    for (int slot = 0; slot < slots; slot++) {
      column.reach(slot);
      column.set(slot, at(slot));
    }
    objects = column;
    numbers = null;
    kind = Kind.OBJECT;
  }

  /** Puts a key that fits and is no number of its own kind. */
  void put(int slot, Object key) {
    if (kind == Kind.NONE) {
      kind = Kind.OBJECT;
      objects = new ObjectColumn();
    }
    objects.reach(slot);
    objects.set(slot, key);
  }

  /** Puts a key where all are longs, or all ints. */
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

  /** Forgets an object, so that it can be collected. */
  void forget(int slot) {
    if (kind == Kind.OBJECT) {
      objects.set(slot, null);
    }
  }
}
