package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The slots that can be handed out: for each profile the workers that have some, best first. A
 * worker's place depends on how many of its slots are in use, so every change of that goes through
 * {@link #change}.
 */
final class FreeSlots {
  private final boolean spread;
  private final Comparator<Worker> order;
  private final Map<ResourceProfile, TreeSet<Worker>> workers = new TreeMap<>(Profiles.BY_SIZE);
  private int count;

  FreeSlots(boolean spread) {
    this.spread = spread;
    this.order = spread ? Worker.SPREADING : Worker.PACKING;
  }

  int count() {
    return count;
  }

  /** Runs what changes a worker's slots or their use, and puts the worker where it then belongs. */
  void change(Worker worker, Runnable change) {
    for (ResourceProfile profile : worker.free.keySet()) {
      workers.computeIfPresent(
          profile,
          (key, having) -> {
            having.remove(worker);
            return having.isEmpty() ? null : having;
          });
    }
    change.run();
    for (ResourceProfile profile : worker.free.keySet()) {
      workers.computeIfAbsent(profile, key -> new TreeSet<>(order)).add(worker);
    }
  }

  /** Only inside {@link #change}. */
  void add(Slot slot) {
    if (slot.worker
        .free
        .computeIfAbsent(slot.profile, key -> new TreeSet<>(Slot.IN_ORDER))
        .add(slot)) {
      count++;
    }
  }

  /** Only inside {@link #change}. */
  void remove(Slot slot) {
    TreeSet<Slot> same = slot.worker.free.get(slot.profile);
    if (same != null && same.remove(slot)) {
      count--;
      if (same.isEmpty()) {
        slot.worker.free.remove(slot.profile);
      }
    }
  }

  /**
   * The slot to take for a need: packing takes the smallest that fits, so that large ones stay for
   * those who need them; spreading asks for the least used worker first.
   */
  Optional<Slot> best(ResourceProfile needed) {
    Slot best = null;
    for (Map.Entry<ResourceProfile, TreeSet<Worker>> entry : workers.entrySet()) {
      if (entry.getKey().fits(needed)) {
        Worker worker = entry.getValue().first();
        if (best == null || (spread && order.compare(worker, best.worker) < 0)) {
          best = worker.free.get(entry.getKey()).first();
        }
      }
    }
    return Optional.ofNullable(best);
  }

  boolean fits(ResourceProfile needed) {
    for (ResourceProfile profile : workers.keySet()) {
      if (profile.fits(needed)) {
        return true;
      }
    }
    return false;
  }
}
