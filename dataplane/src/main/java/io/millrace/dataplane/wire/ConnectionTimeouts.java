package io.millrace.dataplane.wire;

import java.time.Duration;

/**
 * The timeouts of data connections.
 *
 * @param open the time in which the consumers of a stream must be deployed
 * @param pingInterval the time between two pings
 * @param idle the time without a received byte after which a connection is broken
 */
public record ConnectionTimeouts(Duration open, Duration pingInterval, Duration idle) {
  public ConnectionTimeouts {
    if (open.isNegative() || pingInterval.isNegative() || pingInterval.isZero()) {
      throw new IllegalArgumentException(
          "open must be >= 0 and pingInterval > 0, not " + open + " and " + pingInterval);
    }
    if (idle.compareTo(pingInterval) <= 0) {
      throw new IllegalArgumentException(
          "idle must be greater than pingInterval " + pingInterval + ", not " + idle);
    }
  }
}
