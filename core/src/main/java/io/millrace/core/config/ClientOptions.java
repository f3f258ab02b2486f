package io.millrace.core.config;

import java.time.Duration;

/** Options of clients of a cluster. */
public final class ClientOptions {
  public static final Option<Duration> CLIENT_TIMEOUT =
      Option.duration(
              "client.timeout", "60 s", "Time-out of requests of the client to the JobManager.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Duration> CLIENT_HEARTBEAT_INTERVAL =
      Option.duration(
              "client.heartbeat.interval",
              "30 s",
              "Interval of heartbeats of a client whose jobs end with it"
                  + " (execution.shutdown-on-attached-exit).")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Duration> CLIENT_HEARTBEAT_TIMEOUT =
      Option.duration(
              "client.heartbeat.timeout",
              "180 s",
              "Time without a heartbeat of such a client after which its jobs are" + " cancelled.")
          .atLeast("1 ms")
          .perCommand();

  private ClientOptions() {}
}
