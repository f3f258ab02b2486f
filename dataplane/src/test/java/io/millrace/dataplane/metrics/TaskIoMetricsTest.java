package io.millrace.dataplane.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.task.TaskCounters;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TaskIoMetricsTest {
  private static final ExecutionId TASK = new ExecutionId(new Id128(1, 1));
  private static final long MILLI = 1_000_000;

  @Test
  void dividesATasksTimeBetweenItsThreePhases() {
    TaskIoMetrics meter = new TaskIoMetrics(0);
    meter.busy(10 * MILLI);
    meter.busy(12 * MILLI);
    meter.backPressured(30 * MILLI);
    meter.idle(70 * MILLI);

    TaskCounters counters = meter.read(TASK, 100 * MILLI, true);
    assertThat(counters.busyMillis()).isEqualTo(20);
    assertThat(counters.backPressuredMillis()).isEqualTo(40);
    assertThat(counters.idleMillis()).isEqualTo(10 + 30);
    assertThat(counters.millis()).isEqualTo(100);
    assertThat(meter.read(TASK, 500 * MILLI, false).millis()).isEqualTo(70);
  }

  @Test
  @Behaviour("I3: busy, idle and back-pressured time add up to the age of a task")
  void whoReadsDuringAChangeCountsNoTimeTwiceAndNoneNotAtAll() throws InterruptedException {
    AtomicLong clock = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    TaskIoMetrics meter = new TaskIoMetrics(0);
    Thread task =
        new Thread(
            () -> {
              Random random = new Random(5);
              while (!over.get()) {
                long now = clock.addAndGet(1_000 * MILLI);
                switch (random.nextInt(3)) {
                  case 0 -> meter.busy(now);
                  case 1 -> meter.backPressured(now);
                  default -> meter.idle(now);
                }
              }
            });
    task.start();
    try {
      for (int i = 0; i < 200_000; i++) {
        long before = clock.get();
        long counted = meter.read(TASK, before, true).millis() * MILLI;
        long after = clock.get();
        // Phases that began after the reader looked at the clock are counted with their beginnings.
        assertThat(counted).isBetween(before, after);
      }
    } finally {
      over.set(true);
      task.join();
    }
  }
}
