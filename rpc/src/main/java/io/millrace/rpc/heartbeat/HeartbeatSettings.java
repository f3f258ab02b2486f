package io.millrace.rpc.heartbeat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;

/** Interval of heartbeat requests, and the time without a heartbeat after which a peer is lost. */
public record HeartbeatSettings(Duration interval, Duration timeout) {
  public HeartbeatSettings {
    if (interval.isNegative() || interval.isZero() || timeout.compareTo(interval) <= 0) {
      throw new MillraceException(
          ErrorKind.USER,
          HeartbeatManagerOptions.HEARTBEAT_TIMEOUT.key()
              + " ("
              + timeout.toMillis()
              + " ms) must be longer than "
              + HeartbeatManagerOptions.HEARTBEAT_INTERVAL.key()
              + " ("
              + interval.toMillis()
              + " ms).");
    }
  }

  public static HeartbeatSettings from(Configuration configuration) {
    return new HeartbeatSettings(
        configuration.get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL),
        configuration.get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT));
  }
}
