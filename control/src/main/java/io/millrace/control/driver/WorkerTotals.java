package io.millrace.control.driver;

import io.millrace.core.ResourceProfile;
import java.util.Map;
import java.util.Objects;

/**
 * The number of workers of all specs and the sum of their resources.
 *
 * @param slots the sum of their indexed slots
 */
public record WorkerTotals(int workers, int slots, ResourceProfile total) {
  public static final WorkerTotals NONE = new WorkerTotals(0, 0, ResourceProfile.UNSPECIFIED);

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

  public WorkerTotals plus(Map<WorkerSpec, Integer> counts) {
    WorkerTotals sum = this;
    for (Map.Entry<WorkerSpec, Integer> entry : counts.entrySet()) {
      sum = sum.plus(entry.getKey(), entry.getValue());
    }
    return sum;
  }
}
