package io.millrace.control.ha;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Where the terms of a JobManager begin: above all that any JobManager on the same store has drawn,
 * also where the clock was set back in between. Blocks like the store under it.
 */
public final class TermCounter {
  private static final String KEY = "terms";

  /** More than one process ever draws. */
  private static final long RESERVED = 1L << 32;

  private TermCounter() {}

  /** Reserves the terms of one start of a JobManager; returns the number below the first. */
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

  /** The last term that was reserved; 0 where none was. */
  static long newest(HaStore store) {
    return store.read(KEY).map(TermCounter::end).orElse(0L);
  }

  private static long end(HaStore.Versioned stored) {
    if (stored.value().length() != Long.BYTES) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The stored term of the last leader is not a number.");
    }
    return ByteBuffer.wrap(stored.value().toArray()).getLong();
  }
}
