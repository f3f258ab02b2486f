package io.millrace.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.rpc.registration.ConnectionLoss;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionLossTextTest {
  private static final List<ConnectionLoss> LOSSES =
      List.of(
          new ConnectionLoss.NoLeader(),
          new ConnectionLoss.LeaderChanged(),
          new ConnectionLoss.HeartbeatTimeout(Duration.ofSeconds(50)),
          new ConnectionLoss.ConnectionBroken("the connection was reset"));

  @Test
  void everyKindOfLossHasAText() {
    assertThat(LOSSES)
        .extracting(Object::getClass)
        .containsExactlyInAnyOrder(ConnectionLoss.class.getPermittedSubclasses());
    assertThat(LOSSES)
        .allSatisfy(
            loss -> {
              assertThat(ConnectionLossText.ofLeader(loss)).isNotBlank();
              assertThat(ConnectionLossText.ofFollower(loss)).isNotBlank();
            });
  }

  @Test
  void leaderAsksForHeartbeatsAndFollowerAnswersThem() {
    ConnectionLoss silent = new ConnectionLoss.HeartbeatTimeout(Duration.ofSeconds(50));
    assertThat(ConnectionLossText.ofLeader(silent))
        .isEqualTo("it has not asked for a heartbeat in time (50000 ms)");
    assertThat(ConnectionLossText.ofFollower(silent))
        .isEqualTo("it did not answer heartbeats for 50000 ms");
  }

  @Test
  void brokenConnectionIsDescribedByTheTransport() {
    assertThat(
            ConnectionLossText.ofFollower(
                new ConnectionLoss.ConnectionBroken("the connection was reset")))
        .isEqualTo("the connection was reset");
  }
}
