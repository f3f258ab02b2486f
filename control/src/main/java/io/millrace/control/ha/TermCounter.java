package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reserves terms for the starts of a JobManager. They are above all terms that were reserved in the
 * store, also if the clock was set back. Blocks like the underlying store.
 */
public final class TermCounter {
  private static final String KEY = "terms";

  /** More terms than one process uses. */
  private static final long RESERVED = 1L << 32;

  private TermCounter() {}

  /** Reserves the terms of one start of a JobManager. Returns the number below the first term. */
  public static long reserve(HaStore store, long wallMillis) {
    Optional<HaStore.Versioned> before = store.read(KEY);
    long begin = Math.max(wallMillis, before.map(TermCounter::end).orElse(0L));
    store.write(
        KEY,
        Bytes.wrap(ByteBuffer.allocate(Long.BYTES).putLong(begin + RESERVED).array()),
        before.map(HaStore.Versioned::version).orElse(HaStore.ABSENT),
        begin + RESERVED);
    return begin;
  }

  /** The last reserved term; 0 if there is none. */
  static long newest(HaStore store) {
    return store.read(KEY).map(TermCounter::end).orElse(0L);
  }

  private static long end(HaStore.Versioned stored) {
    if (stored.value().length() != Long.BYTES) {
      throw new MillraceException(ErrorKind.EXTERNAL, "The stored term counter is not a number.");
    }
    return ByteBuffer.wrap(stored.value().toArray()).getLong();
  }
}
