package io.millrace.soak;

import java.time.Duration;
import java.util.Objects;

/**
 * How many faults, and which.
 *
 * @param time the input of the job lasts for this time; after it there are no more faults, unless
 *     each kind has a number
 * @param most after this many faults there are no more
 * @param each how often each kind comes; 0 if time and weights decide
 * @param seed decides kinds and times
 */
public record FaultBudget(Duration time, int most, int each, long seed) {
  public FaultBudget {
    Objects.requireNonNull(time);
  }
}
