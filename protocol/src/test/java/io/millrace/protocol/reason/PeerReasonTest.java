package io.millrace.protocol.reason;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.HeartbeatRequestTimeout;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.registration.ConnectionLoss;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerReasonTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(50);

  private static final List<ConnectionLoss> LOSSES =
      List.of(
          new ConnectionLoss.NoLeader(),
          new ConnectionLoss.LeaderChanged(),
          new ConnectionLoss.HeartbeatTimeout(TIMEOUT),
          new ConnectionLoss.ConnectionBroken("the connection was reset"));

  @Test
  void everyKindOfLossIsAReason() {
    assertThat(LOSSES)
        .extracting(Object::getClass)
        .containsExactlyInAnyOrder(ConnectionLoss.class.getPermittedSubclasses());
    assertThat(LOSSES)
        .allSatisfy(
            loss -> {
              assertThat(ReasonText.of(PeerReason.ofLeader(loss))).isNotBlank();
              assertThat(ReasonText.of(PeerReason.ofFollower(loss))).isNotBlank();
            });
  }

  @Test
  void leaderAsksForHeartbeatsAndFollowerAnswersThem() {
    ConnectionLoss silent = new ConnectionLoss.HeartbeatTimeout(TIMEOUT);
    assertThat(PeerReason.ofLeader(silent)).isEqualTo(new HeartbeatRequestTimeout(TIMEOUT));
    assertThat(ReasonText.of(PeerReason.ofLeader(silent)))
        .isEqualTo("It has not asked for a heartbeat for 50 s (heartbeat.timeout).");
    assertThat(PeerReason.ofFollower(silent)).isEqualTo(new HeartbeatTimeout(TIMEOUT));
    assertThat(ReasonText.of(PeerReason.ofFollower(silent)))
        .isEqualTo("It did not answer heartbeats for 50 s (heartbeat.timeout).");
  }

  @Test
  void brokenConnectionIsDescribedByTheTransport() {
    ConnectionLoss broken = new ConnectionLoss.ConnectionBroken("the connection was reset");
    assertThat(PeerReason.ofFollower(broken))
        .isEqualTo(new ConnectionLost("the connection was reset"));
  }
}
