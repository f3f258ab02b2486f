package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The newest term of the Dispatcher, for those who lead no more and have not heard of it. A leader
 * writes its term here before it reads what its forerunners have stored, and looks here after it
 * has stored something itself: if there is no later term, whoever comes next will read it. Blocks
 * like the store under it.
 */
public final class NewestTerm {
  private static final String KEY = "dispatcher-term";

  private final HaStore store;

  public NewestTerm(HaStore store) {
    this.store = store;
  }

  /** A term begins. */
  public void begin(long term) {
    Optional<HaStore.Versioned> before = store.read(KEY);
    before.ifPresent(found -> check(found, term));
    store.write(
        KEY,
        Bytes.wrap(ByteBuffer.allocate(Long.BYTES).putLong(term).array()),
        before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
        term);
  }

  /** Fails where a later term has begun: nothing stored since may be acknowledged. */
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
          "A Dispatcher of term "
              + newest
              + " has taken over, which is later than "
              + term
              + ". Ask again in a few seconds");
    }
  }
}
