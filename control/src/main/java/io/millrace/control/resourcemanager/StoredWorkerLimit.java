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
 * The limit of the number of workers that a user has set, stored for later terms. It holds until
 * the configured limit changes. A new leader writes the value that it reads again under its own
 * term, which fences off earlier leaders: an acknowledged change is always known to the newest
 * leader. Methods block, like those of the store.
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

  /** Begins the term. Returns the limit that overrides the configured one, if there is any. */
  OptionalInt begin(int configured) {
    Optional<HaStore.Versioned> found = store.read(KEY);
    OptionalInt limit =
        found.map(stored -> limit(stored.value(), configured)).orElseGet(OptionalInt::empty);
    write(
        found.map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
        limit.isPresent() ? found.orElseThrow().value() : Bytes.EMPTY);
    return limit;
  }

  private static OptionalInt limit(Bytes value, int configured) {
    if (value.length() == 0) {
      return OptionalInt.empty();
    }
    if (value.length() != LENGTH) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The stored limit of the number of workers is corrupt.");
    }
    ByteBuffer numbers = ByteBuffer.wrap(value.toArray());
    int most = numbers.getInt();
    return numbers.getInt() == configured ? OptionalInt.of(most) : OptionalInt.empty();
  }

  /** Stores the limit. Fails if a later leader has begun its term. */
  void put(int most, int configured) {
    ByteBuffer numbers = ByteBuffer.allocate(LENGTH).putInt(most).putInt(configured);
    try {
      write(
          store.read(KEY).map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
          Bytes.wrap(numbers.array()));
    } catch (StaleWriteException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The limit was not changed: another ResourceManager has replaced this one, of term "
              + term
              + ". Ask again in a few seconds.",
          e);
    }
  }

  private void write(long expectedVersion, Bytes value) {
    store.write(KEY, value, expectedVersion, term);
  }
}
