package io.millrace.control.ha;

import io.millrace.core.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Small values that outlive a process. A plug point and a simulation seam.
 *
 * <p>Every method may block: endpoints call it through {@code env.io()}. Any number of threads may
 * call it at once. Trouble with the storage is a {@link io.millrace.core.error.MillraceException}
 * of kind EXTERNAL; a write that lost against another one is a {@link StaleWriteException}.
 */
public interface HaStore {
  /** The version of a key that has no value. */
  long ABSENT = 0;

  Optional<Versioned> read(String key);

  /**
   * Replaces the value, where it still has the version expected ({@link #ABSENT} for a new key) and
   * was not written under a higher term. Returns the new version.
   */
  long write(String key, Bytes value, long expectedVersion, long term);

  /**
   * Removes the value under the conditions of a write; a key without a value is removed already.
   */
  void delete(String key, long expectedVersion, long term);

  /** The keys that begin like this, sorted. */
  List<String> list(String prefix);

  /** A value and how often it was written. */
  record Versioned(Bytes value, long version) {
    public Versioned {
      Objects.requireNonNull(value);
    }
  }
}
