package io.millrace.dataplane.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.util.Comparator;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TimerQueueTest {
  private record Timer(long time, int slot) {}

  @Test
  @Behaviour("H1: a timer fires once per key and time, in order, and not after its deletion")
  void behavesLikeASortedSet() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      TimerQueue queue = new TimerQueue();
      TreeSet<Timer> model =
          new TreeSet<>(Comparator.comparingLong(Timer::time).thenComparingInt(Timer::slot));
      int span = 1 + random.nextInt(300);
      for (int i = 0; i < 20_000; i++) {
        long time = (long) random.nextInt(span) - span / 3;
        int slot = random.nextInt(40);
        switch (random.nextInt(4)) {
          case 0, 1 ->
              assertThat(queue.add(time, slot))
                  .as("seed %s", seed)
                  .isEqualTo(model.add(new Timer(time, slot)));
          case 2 ->
              assertThat(queue.remove(time, slot))
                  .as("seed %s", seed)
                  .isEqualTo(model.remove(new Timer(time, slot)));
          default -> {
            if (!model.isEmpty()) {
              Timer first = model.pollFirst();
              assertThat(queue.firstTime()).as("seed %s", seed).isEqualTo(first.time);
              assertThat(queue.poll()).as("seed %s", seed).isEqualTo(first.slot);
            }
          }
        }
        assertThat(queue.size()).as("seed %s", seed).isEqualTo(model.size());
      }
      assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
    }
  }

  @Test
  void deletedTimersDoNotAccumulate() {
    TimerQueue queue = new TimerQueue();
    queue.add(Long.MAX_VALUE, 0);
    for (long time = 0; time < 1_000_000; time++) {
      queue.add(time, 1);
      queue.remove(time, 1);
    }
    assertThat(queue.heapSize()).isLessThan(100);
    assertThat(queue.firstTime()).isEqualTo(Long.MAX_VALUE);
  }
}
