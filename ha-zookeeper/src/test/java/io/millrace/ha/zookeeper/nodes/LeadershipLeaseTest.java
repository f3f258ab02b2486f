package io.millrace.ha.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.ha.zookeeper.nodes.LeadershipLease.Change;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeadershipLeaseTest {
  private static final Duration SESSION = Duration.ofSeconds(10);

  /** An arbitrary origin, near the overflow of the clock. */
  private static final long START = Long.MAX_VALUE - 100;

  private final LeadershipLease lease = new LeadershipLease();

  private static long at(double seconds) {
    return START + (long) (seconds * 1_000_000_000L);
  }

  private void lead() {
    assertThat(lease.latchAcquired(at(0))).isEqualTo(Change.NONE);
    assertThat(lease.contact(at(0), SESSION, at(0.5))).isEqualTo(Change.BEGIN);
  }

  @Test
  void latchAloneIsNotEnough() {
    assertThat(lease.contact(at(0), SESSION, at(0)))
        .as("a contact before the latch may belong to another session")
        .isEqualTo(Change.NONE);
    assertThat(lease.latchAcquired(at(1))).isEqualTo(Change.NONE);
    assertThat(lease.contact(at(1), SESSION, at(2))).isEqualTo(Change.BEGIN);
  }

  @Test
  @Behaviour(
      "G1: a process that ZooKeeper does not answer stops to lead before its session can have"
          + " ended")
  void leadsForFourFifthsOfTheSessionAfterTheLastContactWasSent() {
    lead();
    assertThat(lease.tick(at(7.9))).isEqualTo(Change.NONE);
    assertThat(lease.remaining(at(7))).isEqualTo(Duration.ofSeconds(1));
    assertThat(lease.tick(at(8))).isEqualTo(Change.END);
    assertThat(lease.tick(at(20))).isEqualTo(Change.NONE);
  }

  @Test
  void answersInAnotherOrderDoNotShortenTheLease() {
    lead();
    assertThat(lease.contact(at(5), SESSION, at(6))).isEqualTo(Change.NONE);
    assertThat(lease.contact(at(4), SESSION, at(6))).isEqualTo(Change.NONE);
    assertThat(lease.tick(at(12.9))).isEqualTo(Change.NONE);
    assertThat(lease.tick(at(13))).isEqualTo(Change.END);
  }

  @Test
  void answerThatComesTooLateDoesNotProlong() {
    lead();
    assertThat(lease.tick(at(9))).isEqualTo(Change.END);
    assertThat(lease.contact(at(1), SESSION, at(9.5))).isEqualTo(Change.NONE);
  }

  @Test
  @Behaviour("G1: a short loss of the connection to ZooKeeper does not end the leadership")
  void leadsAgainWithTheSameLatchAfterAContact() {
    lead();
    assertThat(lease.tick(at(9))).isEqualTo(Change.END);
    assertThat(lease.contact(at(9.5), SESSION, at(9.6))).isEqualTo(Change.BEGIN);
  }

  @Test
  void lostLatchEndsTheLeadershipAtOnce() {
    lead();
    assertThat(lease.latchLost(at(1))).isEqualTo(Change.END);
    assertThat(lease.latchLost(at(1))).isEqualTo(Change.NONE);
    assertThat(lease.contact(at(1), SESSION, at(2))).isEqualTo(Change.NONE);
    assertThat(lease.latchAcquired(at(3)))
        .as("contacts of the former session do not count")
        .isEqualTo(Change.NONE);
    assertThat(lease.contact(at(3), SESSION, at(3))).isEqualTo(Change.BEGIN);
  }

  /**
   * Whatever the order of events: a process leads only with the latch, and only for four fifths of
   * the session timeout after the request of a contact was sent while it held the latch.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34})
  void leaseNeverOutlivesTheSession(long seed) {
    Random random = new Random(seed);
    LeadershipLease lease = new LeadershipLease();
    long now = random.nextLong();
    boolean latch = false;
    boolean leads = false;
    boolean contacted = false;
    long until = 0;
    for (int i = 0; i < 5_000; i++) {
      now += random.nextInt(50);
      Change change;
      switch (random.nextInt(8)) {
        case 0 -> {
          latch = true;
          change = lease.latchAcquired(now);
        }
        case 1 -> {
          latch = false;
          contacted = false;
          change = lease.latchLost(now);
        }
        case 2, 3, 4 -> {
          long sent = now - random.nextInt(120);
          Duration session = Duration.ofNanos(5L * (1 + random.nextInt(40)));
          long valid = sent + session.toNanos() / 5 * 4;
          if (latch) {
            until = contacted && until - valid > 0 ? until : valid;
            contacted = true;
          }
          change = lease.contact(sent, session, now);
        }
        default -> change = lease.tick(now);
      }
      boolean expected = latch && contacted && until - now > 0;
      assertThat(change)
          .as("seed %s, step %s", seed, i)
          .isEqualTo(expected == leads ? Change.NONE : expected ? Change.BEGIN : Change.END);
      leads = expected;
      assertThat(lease.holdsLatch()).isEqualTo(latch);
      assertThat(lease.remaining(now).toNanos()).isEqualTo(leads ? until - now : 0);
    }
  }
}
