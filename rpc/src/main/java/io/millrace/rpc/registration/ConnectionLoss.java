package io.millrace.rpc.registration;

import java.time.Duration;
import java.util.Objects;

/** How one side of a registration detects its end without a message from the other side. */
public sealed interface ConnectionLoss {
  /** The component has no leader. */
  record NoLeader() implements ConnectionLoss {}

  /** Another leader was elected. */
  record LeaderChanged() implements ConnectionLoss {}

  /** No heartbeat of the peer arrived within the time-out. */
  record HeartbeatTimeout(Duration timeout) implements ConnectionLoss {
    public HeartbeatTimeout {
      Objects.requireNonNull(timeout);
    }
  }

  /**
   * The connection to the peer's process broke.
   *
   * @param detail the reason that the transport gives
   */
  record ConnectionBroken(String detail) implements ConnectionLoss {
    public ConnectionBroken {
      Objects.requireNonNull(detail);
    }
  }
}
