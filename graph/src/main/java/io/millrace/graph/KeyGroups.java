package io.millrace.graph;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/**
 * Assigns keys to key groups, and key groups to subtasks.
 *
 * <p>The group of a key decides about the location of its state, so it is the same in every JVM and
 * every release. It is a hash over the canonical encoding of the key ({@link KeyEncoding}). {@code
 * hashCode} is not used, because that of enums and records differs between JVMs.
 */
public final class KeyGroups {
  private KeyGroups() {}

  /** The key's group, from 0 to {@code maxParallelism - 1}. */
  public static int groupOf(Object key, int maxParallelism) {
    if (key == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "The key of a record is null. Give such records a key of their own or filter them out"
              + " before keyBy.");
    }
    long hash;
    try {
      hash = KeyEncoding.hash(key);
    } catch (UnsupportedKeyException e) {
      throw e.toUserError();
    } catch (StackOverflowError e) {
      throw new MillraceException(
          ErrorKind.USER,
          "A key of "
              + key.getClass().getName()
              + " contains itself or is nested too deeply. Use a key that contains only values.",
          e);
    }
    // Multiplying and keeping the upper half maps 32 hashed bits evenly, without a division.
    return (int) (((hash >>> 32) * maxParallelism) >>> 32);
  }

  /** The subtask that owns a group; each subtask owns a contiguous range of equal size. */
  public static int subtaskOf(int group, int maxParallelism, int parallelism) {
    return (int) ((long) group * parallelism / maxParallelism);
  }
}
