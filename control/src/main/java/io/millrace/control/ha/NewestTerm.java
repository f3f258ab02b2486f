package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The newest term of the Dispatcher, which fences off former leaders. A leader writes its term
 * before it reads what its predecessors have stored, and checks the newest term after each write:
 * if there is no later term, the next leader will read what was written. Blocks like the underlying
 * store.
 */
public final class NewestTerm {
  private static final String KEY = "dispatcher-term";

  private final HaStore store;

  public NewestTerm(HaStore store) {
    this.store = store;
  }

  /** Stores a new term. */
  public void begin(long term) {
    Optional<HaStore.Versioned> before = store.read(KEY);
    before.ifPresent(found -> check(found, term));
    store.write(
        KEY,
        Bytes.wrap(ByteBuffer.allocate(Long.BYTES).putLong(term).array()),
        before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
        term);
  }

  /** Throws if a later term has begun. A write since then must not be acknowledged. */
  public void check(long term) {
    store.read(KEY).ifPresent(found -> check(found, term));
  }

  private static void check(HaStore.Versioned found, long term) {
    if (found.value().length() != Long.BYTES) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The stored term of the Dispatcher is not a number.");
    }
    long newest = ByteBuffer.wrap(found.value().toArray()).getLong();
    if (newest > term) {
      throw StaleWriteException.ofLaterTerm(
          "The Dispatcher of term "
              + newest
              + " has taken over from term "
              + term
              + ". Try again in a few seconds");
    }
  }
}
