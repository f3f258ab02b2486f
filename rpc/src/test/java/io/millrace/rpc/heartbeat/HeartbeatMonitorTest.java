package io.millrace.rpc.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HeartbeatMonitorTest {
  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("watching");
  private final List<String> timedOut = new ArrayList<>();
  private final List<Long> askedAtMillis = new ArrayList<>();
  private final HeartbeatMonitor<String> heartbeats =
      new HeartbeatMonitor<>(
          env,
          mailbox,
          new HeartbeatSettings(Duration.ofSeconds(10), Duration.ofSeconds(50)),
          timedOut::add);
  private final long start = env.wallMillis();

  private void ask() {
    askedAtMillis.add(env.wallMillis() - start);
  }

  @Test
  void requestsAtOnceAndAtEveryInterval() {
    env.in(mailbox, () -> heartbeats.watch("a", this::ask));
    env.advance(Duration.ofSeconds(35));
    assertThat(askedAtMillis).containsExactly(0L, 10_000L, 20_000L, 30_000L);
  }

  @Test
  void reportsTargetOnceAfterTheTimeoutAndRemovesIt() {
    env.in(mailbox, () -> heartbeats.watch("a", this::ask));
    env.advance(Duration.ofMillis(49_999));
    assertThat(timedOut).isEmpty();
    env.advance(Duration.ofMillis(1));
    assertThat(timedOut).containsExactly("a");

    int asked = askedAtMillis.size();
    env.advance(Duration.ofMinutes(10));
    assertThat(timedOut).hasSize(1);
    assertThat(askedAtMillis).hasSize(asked);
  }

  @Test
  void timeoutCountsFromTheLastHeartbeat() {
    env.in(mailbox, () -> heartbeats.watch("a"));
    env.in(mailbox, () -> heartbeats.watch("b"));
    for (int i = 0; i < 4; i++) {
      env.advance(Duration.ofSeconds(40));
      env.in(mailbox, () -> heartbeats.heard("a"));
    }
    assertThat(timedOut).containsExactly("b");
    env.advance(Duration.ofSeconds(50));
    assertThat(timedOut).containsExactly("b", "a");
  }

  @Test
  void handlesQueuedHeartbeatsBeforeItReportsATimeout() {
    env.in(mailbox, () -> heartbeats.watch("a"));
    // After a long pause of the process both the check and the answer are due, in this order.
    mailbox.after(Duration.ofSeconds(50), () -> heartbeats.heard("a"));
    env.advance(Duration.ofSeconds(51));
    assertThat(timedOut).isEmpty();
  }

  @Test
  void removedTargetIsNotReported() {
    env.in(mailbox, () -> heartbeats.watch("a", this::ask));
    env.in(mailbox, () -> heartbeats.watch("b", this::ask));
    env.in(mailbox, () -> heartbeats.forget("a"));
    env.in(mailbox, () -> heartbeats.forget("unknown"));
    env.in(mailbox, heartbeats::close);
    env.advance(Duration.ofMinutes(10));
    assertThat(timedOut).isEmpty();
    assertThat(askedAtMillis).hasSize(2);
  }

  @Test
  void targetRemovedByItsRequestGetsNoFurtherRequest() {
    env.in(
        mailbox,
        () ->
            heartbeats.watch(
                "a",
                () -> {
                  ask();
                  heartbeats.forget("a");
                }));
    env.advance(Duration.ofMinutes(10));
    assertThat(askedAtMillis).containsExactly(0L);
    assertThat(timedOut).isEmpty();
  }

  @Test
  void watchingAgainRestartsTheTimeout() {
    env.in(mailbox, () -> heartbeats.watch("a"));
    env.advance(Duration.ofSeconds(40));
    env.in(mailbox, () -> heartbeats.watch("a"));
    env.advance(Duration.ofSeconds(40));
    assertThat(timedOut).isEmpty();
    env.advance(Duration.ofSeconds(10));
    assertThat(timedOut).containsExactly("a");
  }

  @Test
  void rejectsCallsFromOutsideItsMailbox() {
    assertThatThrownBy(() -> heartbeats.heard("a")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void timeoutMustBeLongerThanTheInterval() {
    assertThatThrownBy(() -> new HeartbeatSettings(Duration.ofSeconds(5), Duration.ofSeconds(5)))
        .hasMessageContaining("heartbeat.timeout")
        .hasMessageContaining("heartbeat.interval");
  }

  @Test
  @Behaviour("E2: registration and heartbeats have the documented defaults")
  void hasTheDocumentedDefaults() {
    assertThat(HeartbeatSettings.from(Configuration.EMPTY))
        .isEqualTo(new HeartbeatSettings(Duration.ofSeconds(10), Duration.ofSeconds(50)));
  }
}
