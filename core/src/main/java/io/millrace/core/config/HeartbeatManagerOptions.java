package io.millrace.core.config;

import java.time.Duration;

/** Options of heartbeats between the components of a cluster. */
public final class HeartbeatManagerOptions {
  public static final Option<Duration> HEARTBEAT_INTERVAL =
      Option.duration(
              "heartbeat.interval", "10 s", "Interval of heartbeat requests between components.")
          .atLeast("1 ms");
  public static final Option<Duration> HEARTBEAT_TIMEOUT =
      Option.duration(
              "heartbeat.timeout",
              "50 s",
              "Time without a heartbeat after which a component counts as lost.")
          .atLeast("1 ms");

  private HeartbeatManagerOptions() {}
}
