package io.millrace.core.config;

import java.time.Duration;

/** Options of heartbeats between the components of a cluster. */
public final class HeartbeatManagerOptions {
  public static final Option<Duration> HEARTBEAT_INTERVAL =
      Option.duration("heartbeat.interval", "10 s", "How often components ask each other for life.")
          .atLeast("1 ms");
  public static final Option<Duration> HEARTBEAT_TIMEOUT =
      Option.duration(
              "heartbeat.timeout", "50 s", "Silence after which a component counts as dead.")
          .atLeast("1 ms");

  private HeartbeatManagerOptions() {}
}
