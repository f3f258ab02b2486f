package io.millrace.dataplane.cores;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class WatchdogTest {
  private static final long MILLI = 1_000_000;

  /** A thread on a machine whose scheduler is the test. */
  private static final class FakeThread implements ThreadProbe {
    private long cpu;
    private boolean asleep;

    @Override
    public long cpuNanos() {
      return cpu;
    }

    @Override
    public boolean isAsleep() {
      return asleep;
    }

    @Override
    public long starvedNanos() {
      throw new UnsupportedOperationException("The watchdog looks at what a thread does");
    }
  }

  private final Watchdog watchdog = new Watchdog(1);
  private final FakeThread thread = new FakeThread();
  private long now = 1_000 * MILLI;

  private boolean tick(long step) {
    return tick(step, Watchdog.TICK_NANOS);
  }

  private boolean tick(long step, long after) {
    now += after;
    return watchdog.isLong(0, thread, step, thread, now);
  }

  @Test
  @Behaviour(
      "F5: the watchdog takes the core from a step that sleeps, waits for I/O or computes too"
          + " long, not from one that waits for a processor")
  void aStepThatOnlyWaitsForAProcessorIsNeverLong() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(tick(7)).isFalse();
    }
  }

  @Test
  void aStepThatSleepsIsLongAfterItsTime() {
    thread.asleep = true;
    assertThat(tick(7)).isFalse();
    assertThat(tick(7)).isFalse();
    assertThat(tick(7)).isTrue();
  }

  @Test
  void aStepThatComputesIsLongAfterItsTime() {
    int ticks = 0;
    boolean isLong;
    do {
      ticks++;
      isLong = tick(7);
      thread.cpu += Watchdog.TICK_NANOS;
    } while (!isLong && ticks < 100);
    assertThat(ticks).isEqualTo(4);
  }

  @Test
  void theNextStepOfAThreadIsJudgedAnew() {
    thread.asleep = true;
    for (int step = 1; step < 1_000; step++) {
      assertThat(tick(step)).isFalse();
      assertThat(tick(step)).isFalse();
    }
  }

  @Test
  void aWatchdogThatWokeLateDoesNotTakeTheWholePauseForSleep() {
    thread.asleep = true;
    assertThat(tick(7)).isFalse();
    assertThat(tick(7, 500 * MILLI)).isFalse();
  }

  /**
   * Random schedules: a thread is charged with what it computed and slept, and with no starvation.
   */
  @RepeatedTest(200)
  @Behaviour(
      "F5: the watchdog takes the core from a step that sleeps, waits for I/O or computes too"
          + " long, not from one that waits for a processor")
  void chargesWhatAStepDidAndNotWhatWasDoneToIt(RepetitionInfo repetition) {
    long seed = repetition.getCurrentRepetition();
    Random random = new Random(seed);
    double sleepy = random.nextDouble();
    double starved = random.nextDouble();
    long held = 0;
    tick(7);
    tick(7, 0);
    while (true) {
      long passed = Watchdog.TICK_NANOS + random.nextInt((int) (5 * MILLI));
      if (random.nextDouble() < starved) {
        thread.asleep = false;
      } else {
        thread.asleep = random.nextDouble() < sleepy;
        if (thread.asleep) {
          held += Math.min(passed, Watchdog.TICK_NANOS);
        } else {
          held += passed;
          thread.cpu += passed;
        }
      }
      boolean isLong = tick(7, passed);
      assertThat(isLong).as("seed %d", seed).isEqualTo(held >= Watchdog.LONG_NANOS);
      if (isLong || now > 3_600_000 * MILLI) {
        return;
      }
    }
  }
}
