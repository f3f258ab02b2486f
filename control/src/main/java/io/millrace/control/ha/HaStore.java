package io.millrace.control.ha;

import io.millrace.core.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Stores small values that outlive a process. A plug point and a simulation seam.
 *
 * <p>Methods may block; endpoints call them through {@code env.io()}. Any number of threads may
 * call them at once. A failure of the storage is a {@link io.millrace.core.error.MillraceException}
 * of kind EXTERNAL; a write that lost against another one is a {@link StaleWriteException}.
 */
public interface HaStore {
  /** The version of a key without a value. */
  long ABSENT = 0;

  Optional<Versioned> read(String key);

  /**
   * Reads several keys, in no particular order of time; one value per key, in the order of the
   * keys. A store at a service does not wait for each answer before it asks for the next value.
   */
  default List<Optional<Versioned>> readAll(List<String> keys) {
    return keys.stream().map(this::read).toList();
  }

  /**
   * Replaces the value if it has the expected version ({@link #ABSENT} for a new key) and was not
   * written in a higher term. Returns the new version.
   */
  long write(String key, Bytes value, long expectedVersion, long term);

  /** Deletes the value under the conditions of a write. Does nothing if the key has no value. */
  void delete(String key, long expectedVersion, long term);

  /** The keys with this prefix, sorted. */
  List<String> list(String prefix);

  /** A value and its version, which is the number of writes. */
  record Versioned(Bytes value, long version) {
    public Versioned {
      Objects.requireNonNull(value);
    }
  }
}
