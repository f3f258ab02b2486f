package io.millrace.control.driver;

import io.millrace.core.ResourceProfile;
import java.util.Map;
import java.util.Objects;

/**
 * How many workers there are, of whatever size, and what they have together.
 *
 * @param slots how many equal ones they have
 */
public record Headcount(int workers, int slots, ResourceProfile total) {
  public static final Headcount NOBODY = new Headcount(0, 0, ResourceProfile.UNSPECIFIED);

  public Headcount {
    Objects.requireNonNull(total);
  }

  public Headcount plus(WorkerSpec spec, int count) {
    return new Headcount(
        workers + count, slots + spec.slots() * count, total.plus(spec.total().times(count)));
  }

  public Headcount plus(Headcount other) {
    return new Headcount(workers + other.workers, slots + other.slots, total.plus(other.total));
  }

  public Headcount plus(Map<WorkerSpec, Integer> others) {
    Headcount sum = this;
    for (Map.Entry<WorkerSpec, Integer> entry : others.entrySet()) {
      sum = sum.plus(entry.getKey(), entry.getValue());
    }
    return sum;
  }
}
