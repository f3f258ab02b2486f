package io.millrace.api.state;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * The time for which a keyed state lives, in processing time. The state of a key expires as a
 * whole, also that of a list or a map. An expired state is never returned and not in checkpoints;
 * it is removed when its key accesses it, or later, while other keys access theirs.
 *
 * <pre>{@code
 * // Forgets customers that have not ordered for a month.
 * StateTtl month = StateTtl.afterWrite(Duration.ofDays(30));
 * ValueStateDescriptor<Order> last = new ValueStateDescriptor<>("last", month);
 * }</pre>
 *
 * @param timeToLive 0 for a state that does not expire
 * @param updateType the accesses after which the time starts anew
 */
public record StateTtl(Duration timeToLive, UpdateType updateType) implements Serializable {
  /** The state does not expire. */
  public static final StateTtl NONE = new StateTtl(Duration.ZERO, UpdateType.ON_CREATE_AND_WRITE);

  /** The accesses after which the time to live starts anew. */
  public enum UpdateType {
    ON_CREATE_AND_WRITE,
    ON_READ_AND_WRITE
  }

  public StateTtl {
    Objects.requireNonNull(timeToLive, "timeToLive");
    Objects.requireNonNull(updateType, "updateType");
    if (timeToLive.isNegative() || !timeToLive.isZero() && timeToLive.toMillis() == 0) {
      throw new MillraceException(
          ErrorKind.USER, "The time to live of a state is 1 ms or more, not " + timeToLive + ".");
    }
  }

  /** A state that expires this long after it was last written. */
  public static StateTtl afterWrite(Duration timeToLive) {
    return expiring(timeToLive, UpdateType.ON_CREATE_AND_WRITE);
  }

  /** A state that expires this long after it was last read or written. */
  public static StateTtl afterReadOrWrite(Duration timeToLive) {
    return expiring(timeToLive, UpdateType.ON_READ_AND_WRITE);
  }

  private static StateTtl expiring(Duration timeToLive, UpdateType updateType) {
    if (timeToLive.isZero()) {
      throw new MillraceException(
          ErrorKind.USER, "The time to live of a state is 1 ms or more, not " + timeToLive + ".");
    }
    return new StateTtl(timeToLive, updateType);
  }

  public boolean expires() {
    return !timeToLive.isZero();
  }
}
