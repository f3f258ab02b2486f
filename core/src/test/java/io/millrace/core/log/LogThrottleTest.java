package io.millrace.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogThrottleTest {
  private long now;
  private final List<String> lines = new ArrayList<>();
  private final LogThrottle throttle = new LogThrottle(3, Duration.ofSeconds(10), 4, () -> now);

  private void log(String source) {
    throttle.log(source, suffix -> lines.add(source + suffix));
  }

  @Test
  void allowsABurstAndThenOneLinePerInterval() {
    for (int i = 0; i < 100; i++) {
      log("a");
    }
    assertThat(lines).containsExactly("a", "a", "a");
    now += Duration.ofSeconds(10).toNanos();
    log("a");
    log("a");
    assertThat(lines).hasSize(4).last().isEqualTo("a (97 such lines were suppressed)");
  }

  @Test
  void sourcesHaveSeparateBudgets() {
    for (int i = 0; i < 100; i++) {
      log("a");
    }
    log("b");
    assertThat(lines).endsWith("b");
  }

  @Test
  void manySourcesShareOneBudget() {
    for (int i = 0; i < 1000; i++) {
      log("host-" + i);
    }
    // Four sources with their own budget, and three lines of all others.
    assertThat(lines).hasSize(7);
  }

  @Test
  void idleSourceIsRemoved() {
    for (int i = 0; i < 1000; i++) {
      log("host-" + i);
    }
    lines.clear();
    now += Duration.ofMinutes(1).toNanos();
    log("host-999");
    assertThat(lines).containsExactly("host-999");
  }
}
