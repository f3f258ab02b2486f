package io.millrace.core.config;

import java.time.Duration;

/** Options of calls between the components of a cluster. */
public final class RpcOptions {
  public static final Option<Duration> ASK_TIMEOUT =
      Option.duration("rpc.ask-timeout", "10 s", "How long a call to another component may take.")
          .atLeast("1 ms");

  private RpcOptions() {}
}
