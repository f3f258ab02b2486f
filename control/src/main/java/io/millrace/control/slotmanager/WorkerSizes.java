package io.millrace.control.slotmanager;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import java.util.Map;
import java.util.TreeMap;

/** The sizes of registered workers, regardless of their use. */
final class WorkerSizes {
  private final TreeMap<WorkerSpec, Integer> counts = new TreeMap<>();
  private int workers;
  private int slots;

  void add(RegisteredWorker worker) {
    counts.merge(worker.spec(), 1, Integer::sum);
    workers++;
    slots += worker.slots.size();
  }

  void remove(RegisteredWorker worker) {
    counts.computeIfPresent(worker.spec(), (key, count) -> count == 1 ? null : count - 1);
    workers--;
    slots -= worker.slots.size();
  }

  int workers() {
    return workers;
  }

  /** The number of their indexed slots. */
  int slots() {
    return slots;
  }

  /** The number of workers by spec. */
  Map<WorkerSpec, Integer> counts() {
    return new TreeMap<>(counts);
  }

  /** The largest total. At least one worker must be registered. */
  ResourceProfile largest() {
    return counts.lastKey().total();
  }

  /** Whether the total of a worker fits the profile. */
  boolean fit(ResourceProfile needed) {
    for (WorkerSpec spec : counts.keySet()) {
      if (spec.total().fits(needed)) {
        return true;
      }
    }
    return false;
  }
}
