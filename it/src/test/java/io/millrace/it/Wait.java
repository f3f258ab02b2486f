package io.millrace.it;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Waits for a condition that another process makes true. */
final class Wait {
  private static final Duration BOUND = Duration.ofMinutes(3);

  private Wait() {}

  static void untilTrue(String what, Supplier<Boolean> condition) {
    until(what, () -> condition.get() ? Optional.of(true) : Optional.empty());
  }

  static <T> T until(String what, Supplier<Optional<T>> condition) {
    try {
      return Awaitility.await(what)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(20))
          .atMost(BOUND)
          .until(condition::get, Optional::isPresent)
          .orElseThrow();
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("Not within " + BOUND + ": " + what, e);
    }
  }
}
