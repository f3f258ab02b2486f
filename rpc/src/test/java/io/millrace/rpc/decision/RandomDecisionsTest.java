package io.millrace.rpc.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.rpc.Mailbox;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that arise in actions and in callbacks, at any depth, and deciders that fail. */
final class RandomDecisionsTest {
  private static final int TICK = -1;

  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("endpoint");
  private final List<Integer> applied = new ArrayList<>();
  private final List<Integer> performed = new ArrayList<>();
  private final List<Integer> offered = new ArrayList<>();
  private final List<Long> ticks = new ArrayList<>();
  private OptionalLong wake = OptionalLong.empty();
  private Random random = new Random(1);
  private int next;
  private int budget;
  private int settled;
  private boolean performing;
  private boolean deciderFails;
  private boolean performFails;
  private boolean failsAfterItsEvents;
  private boolean stopsInAction;

  private final DeciderRunner<Integer, Integer> runner =
      new DeciderRunner<>(
          env,
          mailbox,
          new Decider<>() {
            @Override
            public List<Integer> apply(Integer event, long nanos) {
              assertThat(performing).as("an event is applied between actions").isFalse();
              assertThat(nanos).isEqualTo(env.nanos());
              if (deciderFails) {
                throw new IllegalStateException("decider");
              }
              if (event == TICK) {
                ticks.add(env.nanos());
                wake = OptionalLong.empty();
              }
              applied.add(event);
              return List.of(event, event);
            }

            @Override
            public OptionalLong nextWake() {
              return wake;
            }
          },
          TICK,
          this::perform,
          () -> settled++);

  private void perform(List<Integer> actions) {
    performing = true;
    try {
      for (int action : actions) {
        performed.add(action);
        if (performFails) {
          throw new IllegalStateException("action");
        }
        while (budget > 0 && random.nextInt(3) == 0) {
          budget--;
          offer();
        }
        if (failsAfterItsEvents) {
          offer();
          offer();
          throw new IllegalStateException("action");
        }
        if (stopsInAction) {
          runner.stop();
        }
      }
    } finally {
      performing = false;
    }
  }

  /** Applies the next event; it may be in the middle of the actions of another one. */
  private void offer() {
    int event = next++;
    offered.add(event);
    runner.apply(event);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void eventsAreAppliedOneAfterTheOtherInTheirOrder(long seed) {
    random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      budget = random.nextInt(10);
      int before = settled;
      env.in(mailbox, this::offer);
      assertThat(applied).as("seed %d", seed).isEqualTo(offered);
      assertThat(settled).as("once for all events that arose").isEqualTo(before + 1);
    }
    List<Integer> twice = new ArrayList<>();
    applied.forEach(event -> twice.addAll(List.of(event, event)));
    assertThat(performed).as("seed %d", seed).isEqualTo(twice);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void ticksExactlyAtTheLastTimeThatTheDeciderNamed(long seed) {
    random = new Random(seed);
    List<Long> expected = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      if (random.nextInt(3) == 0) {
        long at = env.nanos() + random.nextInt(-3, 20) * 1_000_000L;
        OptionalLong asked = random.nextInt(5) == 0 ? OptionalLong.empty() : OptionalLong.of(at);
        env.in(
            mailbox,
            () -> {
              wake = asked;
              offer();
            });
        if (asked.isPresent() && at <= env.nanos()) {
          expected.add(env.nanos());
        }
      } else {
        OptionalLong due = wake;
        Duration time = Duration.ofMillis(random.nextInt(0, 10));
        long end = env.nanos() + time.toNanos();
        env.advance(time);
        if (due.isPresent() && due.getAsLong() <= end) {
          expected.add(due.getAsLong());
        }
      }
      assertThat(ticks).as("seed %d, step %d", seed, i).isEqualTo(expected);
    }
  }

  @Test
  void failedEventLosesNeitherTheOnesAfterItNorTheTimer() {
    env.in(
        mailbox,
        () -> {
          wake = OptionalLong.of(env.nanos() + 1_000_000);
          performFails = true;
          assertThatThrownBy(this::offer).hasMessage("action");
          performFails = false;
          deciderFails = true;
          assertThatThrownBy(this::offer).hasMessage("decider");
          deciderFails = false;
        });
    env.advance(Duration.ofMillis(2));

    assertThat(ticks).as("the time that the decider named").containsExactly(1_000_000L);
    env.in(mailbox, this::offer);
    assertThat(applied).containsExactly(0, TICK, 2);
  }

  @Test
  void eventsThatWaitBehindAFailedOneAreApplied() {
    env.in(
        mailbox,
        () -> {
          failsAfterItsEvents = true;
          assertThatThrownBy(this::offer).hasMessage("action");
          failsAfterItsEvents = false;
        });

    assertThat(offered).hasSize(3);
    assertThat(applied).isEqualTo(offered);
    assertThat(settled).isEqualTo(1);
  }

  @Test
  void stopInAnActionDropsTheEventsThatWait() {
    random = new Random(2);
    budget = 5;
    stopsInAction = true;
    wake = OptionalLong.of(1_000_000);
    env.in(mailbox, this::offer);
    env.advance(Duration.ofSeconds(1));

    assertThat(applied).containsExactly(0);
    assertThat(ticks).isEmpty();
  }

  @Test
  void isConfinedToItsMailbox() {
    assertThatThrownBy(() -> runner.apply(1)).isInstanceOf(IllegalStateException.class);
  }
}
