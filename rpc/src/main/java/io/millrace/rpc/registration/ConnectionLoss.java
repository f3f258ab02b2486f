package io.millrace.rpc.registration;

import java.time.Duration;
import java.util.Objects;

/** How one side of a registration finds out that it has ended, without being told by the other. */
public sealed interface ConnectionLoss {
  /** No process is known to lead the component. */
  record NoLeader() implements ConnectionLoss {}

  /** Another leader was elected. */
  record LeaderChanged() implements ConnectionLoss {}

  /** The peer sent or answered no heartbeat within the time-out. */
  record HeartbeatTimeout(Duration timeout) implements ConnectionLoss {
    public HeartbeatTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /**
   * The connection to the peer's process broke.
   *
   * @param detail what the transport says
   */
  record ConnectionBroken(String detail) implements ConnectionLoss {
    public ConnectionBroken {
      Objects.requireNonNull(detail);
    }
  }
}
