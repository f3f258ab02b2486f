package io.millrace.control.slotmanager;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import java.util.Map;
import java.util.TreeMap;

/** How large registered workers are in all, whatever they are used for. */
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

  /** How many equal slots they have. */
  int slots() {
    return slots;
  }

  /** How many there are of each spec. */
  Map<WorkerSpec, Integer> counts() {
    return new TreeMap<>(counts);
  }

  /** There must be one. */
  ResourceProfile largest() {
    return counts.lastKey().total();
  }

  /** Whether some worker is large enough for what is needed. */
  boolean fit(ResourceProfile needed) {
    for (WorkerSpec spec : counts.keySet()) {
      if (spec.total().fits(needed)) {
        return true;
      }
    }
    return false;
  }
}
