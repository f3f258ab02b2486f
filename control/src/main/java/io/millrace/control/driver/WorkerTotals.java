package io.millrace.control.driver;

import io.millrace.core.ResourceProfile;
import java.util.Map;
import java.util.Objects;

/**
 * How many workers there are, of whatever size, and what they have together.
 *
 * @param slots how many equal ones they have
 */
public record WorkerTotals(int workers, int slots, ResourceProfile total) {
  public static final WorkerTotals NOBODY = new WorkerTotals(0, 0, ResourceProfile.UNSPECIFIED);

  public WorkerTotals {
    Objects.requireNonNull(total);
  }

  public WorkerTotals plus(WorkerSpec spec, int count) {
    return new WorkerTotals(
        workers + count, slots + spec.slots() * count, total.plus(spec.total().times(count)));
  }

  public WorkerTotals plus(WorkerTotals other) {
    return new WorkerTotals(workers + other.workers, slots + other.slots, total.plus(other.total));
  }

  public WorkerTotals plus(Map<WorkerSpec, Integer> others) {
    WorkerTotals sum = this;
    for (Map.Entry<WorkerSpec, Integer> entry : others.entrySet()) {
      sum = sum.plus(entry.getKey(), entry.getValue());
    }
    return sum;
  }
}
