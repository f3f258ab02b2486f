package io.millrace.control.resourcemanager;

import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How many workers somebody has said there may be, kept for whoever leads next, until the
 * configuration says another number than it did then. A leader writes what it finds anew under its
 * own term, from when on none of before can change it: what was acknowledged is what the newest
 * leader knows. Blocks like the store under it.
 */
final class StoredWorkerLimit {
  private static final String KEY = "worker-limit";
  private static final int LENGTH = 2 * Integer.BYTES;

  private final HaStore store;
  private final long term;

  StoredWorkerLimit(HaStore store, long term) {
    this.store = store;
    this.term = term;
  }

  /**
   * The term begins; returns the limit that holds instead of the configured one, if there is any.
   */
  OptionalInt begin(int configured) {
    Optional<HaStore.Versioned> found = store.read(KEY);
    OptionalInt limit =
        found.map(before -> limit(before.value(), configured)).orElseGet(OptionalInt::empty);
    write(found, limit.isPresent() ? found.orElseThrow().value() : Bytes.EMPTY);
    return limit;
  }

  private static OptionalInt limit(Bytes value, int configured) {
    if (value.length() == 0) {
      return OptionalInt.empty();
    }
    if (value.length() != LENGTH) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The stored limit of the number of workers is not a number.");
    }
    ByteBuffer numbers = ByteBuffer.wrap(value.toArray());
    int most = numbers.getInt();
    return numbers.getInt() == configured ? OptionalInt.of(most) : OptionalInt.empty();
  }

  /** Keeps the limit; fails where a later leader has begun. */
  void put(int most, int configured) {
    ByteBuffer numbers = ByteBuffer.allocate(LENGTH).putInt(most).putInt(configured);
    try {
      write(store.read(KEY), Bytes.wrap(numbers.array()));
    } catch (StaleWriteException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The limit was not changed: another ResourceManager has taken over from this one, of term "
              + term
              + ". Ask again in a few seconds.",
          e);
    }
  }

  private void write(Optional<HaStore.Versioned> before, Bytes value) {
    store.write(KEY, value, before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT), term);
  }
}
