package io.millrace.rpc.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.rpc.Mailbox;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The actions of the decider under test are its events; the test sets its next wake-up. */
final class DeciderRunnerTest {
  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("endpoint");
  private final List<String> log = new ArrayList<>();
  private OptionalLong wake = OptionalLong.empty();
  private final DeciderRunner<String, String> runner =
      new DeciderRunner<>(
          env,
          mailbox,
          new Decider<>() {
            @Override
            public List<String> apply(String event, long nanos) {
              if (event.equals("tick")) {
                wake = OptionalLong.empty();
              }
              return List.of("do " + event);
            }

            @Override
            public OptionalLong nextWake() {
              return wake;
            }
          },
          "tick",
          this::perform,
          () -> log.add("settled"));

  private void perform(List<String> actions) {
    for (String action : actions) {
      if (action.equals("do nested")) {
        runner.apply("inner");
      }
      log.add(action);
    }
  }

  private void apply(String event) {
    env.in(mailbox, () -> runner.apply(event));
  }

  private void wakeIn(Duration delay) {
    wake = OptionalLong.of(env.nanos() + delay.toNanos());
  }

  @Test
  void eventOfAnActionIsAppliedAfterTheActionsThatLedToIt() {
    apply("nested");
    assertThat(log).containsExactly("do nested", "do inner", "settled");
  }

  @Test
  void ticksWhenTheDeciderAsksForIt() {
    wakeIn(Duration.ofSeconds(3));
    apply("a");
    env.advance(Duration.ofSeconds(2));
    assertThat(log).containsExactly("do a", "settled");
    env.advance(Duration.ofSeconds(2));
    assertThat(log).containsExactly("do a", "settled", "do tick", "settled");
    env.advance(Duration.ofMinutes(1));
    assertThat(log).hasSize(4);
  }

  @Test
  void newWakeTimeReplacesTheEarlierOne() {
    wakeIn(Duration.ofSeconds(3));
    apply("a");
    wakeIn(Duration.ofSeconds(10));
    apply("b");
    env.advance(Duration.ofSeconds(9));
    assertThat(log).doesNotContain("do tick");
    env.advance(Duration.ofSeconds(2));
    assertThat(log).containsOnlyOnce("do tick");
  }

  @Test
  void overdueWakeTicksAtOnce() {
    wakeIn(Duration.ofSeconds(-5));
    apply("a");
    env.settle();
    assertThat(log).contains("do tick");
  }

  @Test
  void stoppedRunnerAppliesNothing() {
    wakeIn(Duration.ofSeconds(3));
    apply("a");
    env.in(mailbox, runner::stop);
    apply("b");
    env.advance(Duration.ofMinutes(1));
    assertThat(log).containsExactly("do a", "settled");
  }
}
