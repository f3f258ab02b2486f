package io.millrace.core.config;

import java.time.Duration;

/** Options of RPC. */
public final class RpcOptions {
  public static final Option<Duration> ASK_TIMEOUT =
      Option.duration("rpc.ask-timeout", "10 s", "Time-out of a call to another component.")
          .atLeast("1 ms");

  private RpcOptions() {}
}
