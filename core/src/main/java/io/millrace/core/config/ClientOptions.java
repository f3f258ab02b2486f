package io.millrace.core.config;

import java.time.Duration;

/** Options of clients of a cluster. */
public final class ClientOptions {
  public static final Option<Duration> CLIENT_TIMEOUT =
      Option.duration("client.timeout", "60 s", "How long the client waits for the JobManager.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Duration> CLIENT_HEARTBEAT_INTERVAL =
      Option.duration(
              "client.heartbeat.interval",
              "30 s",
              "How often a client whose jobs end with it (execution.shutdown-on-attached-exit) says that"
                  + " it lives.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Duration> CLIENT_HEARTBEAT_TIMEOUT =
      Option.duration(
              "client.heartbeat.timeout",
              "180 s",
              "After which silence of such a client its jobs are cancelled.")
          .atLeast("1 ms")
          .perCommand();

  private ClientOptions() {}
}
