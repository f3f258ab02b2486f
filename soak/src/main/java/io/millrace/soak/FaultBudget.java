package io.millrace.soak;

import java.time.Duration;
import java.util.Objects;

/**
 * How many faults, and which.
 *
 * @param time after this time there are no more faults
 * @param most after this many faults there are no more
 * @param seed decides kinds and times
 */
public record FaultBudget(Duration time, int most, long seed) {
  public FaultBudget {
    Objects.requireNonNull(time);
  }
}
