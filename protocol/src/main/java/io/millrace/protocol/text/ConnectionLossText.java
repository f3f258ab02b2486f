package io.millrace.protocol.text;

import io.millrace.rpc.registration.ConnectionLoss;

/** Why a registration ended, as a clause about the peer. */
public final class ConnectionLossText {
  private ConnectionLossText() {}

  /** As a follower says it of its leader, which sends the heartbeats. */
  public static String ofLeader(ConnectionLoss loss) {
    return loss instanceof ConnectionLoss.HeartbeatTimeout silent
        ? "it has not asked for a heartbeat in time (" + silent.timeout().toMillis() + " ms)"
        : of(loss);
  }

  /** As a leader says it of a follower, which answers heartbeats. */
  public static String ofFollower(ConnectionLoss loss) {
    return loss instanceof ConnectionLoss.HeartbeatTimeout silent
        ? "it did not answer heartbeats for " + silent.timeout().toMillis() + " ms"
        : of(loss);
  }

  private static String of(ConnectionLoss loss) {
    if (loss instanceof ConnectionLoss.NoLeader) {
      return "no leader is known";
    } else if (loss instanceof ConnectionLoss.LeaderChanged) {
      return "another leader was elected";
    } else if (loss instanceof ConnectionLoss.ConnectionBroken broken) {
      return broken.detail();
    }
    throw new IllegalStateException("No text for " + loss);
  }
}
