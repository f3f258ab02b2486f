package io.millrace.api.async;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Duration;

/**
 * The values that a lookup join keeps in memory, in each subtask for itself. The key that was used
 * least recently is removed when there are too many. The cache is empty after a restart.
 *
 * <pre>{@code
 * LookupCache cache = LookupCache.of(10_000, Duration.ofMinutes(5));
 * }</pre>
 *
 * @param maxKeys the number of keys
 * @param expireAfter the time after its request at which a value is read again
 * @param keepsMissing whether keys without values are kept too
 */
public record LookupCache(int maxKeys, Duration expireAfter, boolean keepsMissing)
    implements Serializable {

  public LookupCache {
    if (maxKeys < 1 || expireAfter.isNegative() || expireAfter.isZero()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The cache of a lookup join has 1 key or more and values expire after more than 0 ms, not "
              + maxKeys
              + " and "
              + expireAfter
              + ".");
    }
  }

  /** A cache that also keeps which keys have no values. */
  public static LookupCache of(int maxKeys, Duration expireAfter) {
    return new LookupCache(maxKeys, expireAfter, true);
  }

  /** The same without keys that have no values, which are read again for each record. */
  public LookupCache withoutMissingKeys() {
    return new LookupCache(maxKeys, expireAfter, false);
  }
}
