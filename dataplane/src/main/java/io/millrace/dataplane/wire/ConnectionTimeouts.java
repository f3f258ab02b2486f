package io.millrace.dataplane.wire;

import java.time.Duration;

/**
 * How long a host waits for others.
 *
 * @param open for consumers to be deployed, once their producers are
 * @param ping between two questions whether the other side of a connection is still there
 * @param silence without a byte, after which a connection counts as broken
 */
public record ConnectionTimeouts(Duration open, Duration ping, Duration silence) {
  public ConnectionTimeouts {
    if (open.isNegative() || ping.isNegative() || ping.isZero()) {
      throw new IllegalArgumentException("Not to be waited for: " + open + ", " + ping);
    }
    if (silence.compareTo(ping) <= 0) {
      throw new IllegalArgumentException(
          "A connection that is asked every " + ping + " cannot be dead after " + silence);
    }
  }
}
