package io.millrace.rpc.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.rpc.Mailbox;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares a monitor with a plain list of targets and the times of their last heartbeats. As long
 * as this process does not freeze, a target times out exactly one time-out after its last
 * heartbeat, whichever side sends the requests.
 */
final class RandomHeartbeatsTest {
  private static final long INTERVAL = 1_000;
  private static final long TIMEOUT = 5_000;

  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("monitor");
  private final List<String> timedOut = new ArrayList<>();
  private final Map<String, Integer> requests = new TreeMap<>();
  private final HeartbeatMonitor<String> monitor =
      new HeartbeatMonitor<>(
          env,
          mailbox,
          new HeartbeatSettings(Duration.ofMillis(INTERVAL), Duration.ofMillis(TIMEOUT)),
          key -> timedOut.add(key + " at " + env.nanos() / 1_000_000));

  private final List<String> expectedTimedOut = new ArrayList<>();
  private final Map<String, Integer> expectedRequests = new TreeMap<>();
  private final Map<String, Watched> watched = new TreeMap<>();

  private static final class Watched {
    private final boolean requested;
    private final long since;
    private long heard;

    Watched(boolean requested, long now) {
      this.requested = requested;
      this.since = now;
      this.heard = now;
    }
  }

  private long now() {
    return env.nanos() / 1_000_000;
  }

  private void watch(String key, boolean requested) {
    env.in(
        mailbox,
        () -> {
          if (requested) {
            monitor.watch(key, () -> requests.merge(key, 1, Integer::sum));
          } else {
            monitor.watch(key);
          }
        });
    stopCounting(key, now());
    watched.put(key, new Watched(requested, now()));
  }

  private void forget(String key) {
    env.in(mailbox, () -> monitor.forget(key));
    stopCounting(key, now());
  }

  /** Counts the requests that a target that is watched no more has got until then. */
  private void stopCounting(String key, long end) {
    Watched former = watched.remove(key);
    if (former != null && former.requested) {
      expectedRequests.merge(key, 1 + (int) ((end - former.since) / INTERVAL), Integer::sum);
    }
  }

  private void pass(long millis) {
    long end = now() + millis;
    env.advance(Duration.ofMillis(millis));
    // In the order in which they time out; keys of one time in the order of the last watch.
    for (String key : new ArrayList<>(watched.keySet())) {
      long at = watched.get(key).heard + TIMEOUT;
      if (at <= end) {
        expectedTimedOut.add(key + " at " + at);
        stopCountingTimedOut(key, at);
      }
    }
  }

  /** The request of the moment in which a target times out may be sent before or after that. */
  private void stopCountingTimedOut(String key, long at) {
    Watched former = watched.get(key);
    if (former.requested && (at - former.since) % INTERVAL == 0) {
      int whole = 1 + (int) ((at - former.since) / INTERVAL);
      int counted = requests.getOrDefault(key, 0) - expectedRequests.getOrDefault(key, 0);
      assertThat(counted).isBetween(whole - 1, whole);
      watched.remove(key);
      expectedRequests.merge(key, counted, Integer::sum);
    } else {
      stopCounting(key, at);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyTargetTimesOutOneTimeoutAfterItsLastHeartbeat(long seed) {
    Random random = new Random(seed);
    List<String> keys = List.of("a", "b", "c", "d", "e");
    for (int i = 0; i < 1_000; i++) {
      String key = keys.get(random.nextInt(keys.size()));
      int kind = random.nextInt(10);
      if (kind < 2) {
        watch(key, random.nextBoolean());
      } else if (kind < 3) {
        forget(key);
      } else if (kind < 7) {
        env.in(mailbox, () -> monitor.heard(key));
        if (watched.containsKey(key)) {
          watched.get(key).heard = now();
        }
      } else {
        pass(random.nextInt(0, 1_700));
      }
      assertThat(timedOut)
          .as("seed %d, step %d", seed, i)
          .containsExactlyInAnyOrderElementsOf(expectedTimedOut);
    }
    env.in(mailbox, monitor::close);
    keys.forEach(key -> stopCounting(key, now()));
    env.advance(Duration.ofMinutes(5));
    assertThat(timedOut).as("seed %d", seed).hasSameSizeAs(expectedTimedOut);
    assertThat(requests).as("seed %d", seed).isEqualTo(expectedRequests);
  }

  /** A process that was frozen has sent no requests; its targets get the time to answer one. */
  @ParameterizedTest
  @ValueSource(longs = {6_000, 60_000, 3_600_000})
  void freezeOfThisProcessIsNotTakenForTheDeathOfItsTargets(long frozen) {
    watch("alive", true);
    env.advance(Duration.ofMillis(500));
    env.in(mailbox, () -> monitor.heard("alive"));
    env.freeze(Duration.ofMillis(frozen));
    env.settle();
    assertThat(timedOut).isEmpty();

    env.advance(Duration.ofMillis(TIMEOUT - INTERVAL - 1));
    assertThat(timedOut).isEmpty();
    env.in(mailbox, () -> monitor.heard("alive"));
    env.advance(Duration.ofMillis(INTERVAL));
    assertThat(timedOut).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {6_000, 60_000})
  void targetThatDoesNotAnswerAfterAFreezeTimesOut(long frozen) {
    watch("dead", true);
    env.advance(Duration.ofMillis(500));
    env.in(mailbox, () -> monitor.heard("dead"));
    env.freeze(Duration.ofMillis(frozen));
    env.advance(Duration.ofMillis(TIMEOUT));
    assertThat(timedOut).hasSize(1);
  }
}
