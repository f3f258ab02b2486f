package io.millrace.control.slotmanager;

import io.millrace.control.slotmanager.SlotEvent.WorkerDraining;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Workers that are going to be taken away, and when each is released. A worker that loses its
 * registration stays in the list until its time is over: it may register again.
 */
final class DrainingWorkers {
  private final SlotState state;
  private final Map<WorkerId, WorkerDraining> notices = new TreeMap<>();

  DrainingWorkers(SlotState state) {
    this.state = state;
  }

  /** The first notice about a worker counts, or a later one with an earlier time. */
  void add(WorkerDraining notice) {
    notices.merge(
        notice.worker(),
        notice,
        (before, next) -> next.untilNanos() < before.untilNanos() ? next : before);
  }

  void remove(WorkerId worker) {
    notices.remove(worker);
  }

  Reason reason(RegisteredWorker worker) {
    return notices.get(worker.id).reason();
  }

  /**
   * The workers to release now.
   *
   * @param freeSlots the available slots of other default workers
   */
  List<RegisteredWorker> due(int freeSlots, long now) {
    List<RegisteredWorker> due = new ArrayList<>();
    int free = freeSlots;
    for (WorkerDraining notice : new ArrayList<>(notices.values())) {
      Optional<RegisteredWorker> registered = state.worker(notice.worker());
      boolean over = now >= notice.untilNanos();
      if (registered.isEmpty()) {
        if (over) {
          notices.remove(notice.worker());
        }
        continue;
      }
      RegisteredWorker worker = registered.get();
      boolean unused = worker.isUnused() && !worker.holdsData;
      boolean replaced = worker.isDefault && !worker.holdsData && worker.heldSlots() <= free;
      if (over || unused || replaced) {
        due.add(worker);
        free -= replaced ? worker.heldSlots() : 0;
      }
    }
    return due;
  }

  /** The number of default workers in use for which other workers are needed. */
  int inUse() {
    int inUse = 0;
    for (WorkerId worker : notices.keySet()) {
      inUse +=
          state.worker(worker).filter(known -> known.isDefault && !known.isUnused()).isPresent()
              ? 1
              : 0;
    }
    return inUse;
  }

  long nextWake() {
    long wake = Long.MAX_VALUE;
    for (WorkerDraining notice : notices.values()) {
      wake = Math.min(wake, notice.untilNanos());
    }
    return wake;
  }
}
