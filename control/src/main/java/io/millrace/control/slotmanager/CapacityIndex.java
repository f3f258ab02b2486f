package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The free capacity of registered workers. Workers with equal free capacity form one class, and
 * classes are sorted by preference. The class of a worker depends on its slots and their use, so
 * each change of these goes through {@link #change}.
 */
final class CapacityIndex {
  private final boolean spread;
  private final Map<CapacityClass, TreeSet<RegisteredWorker>> byClass =
      new TreeMap<>(CapacityClass.PACKING);
  private ResourceProfile total = ResourceProfile.UNSPECIFIED;
  private ResourceProfile left = ResourceProfile.UNSPECIFIED;
  private int freeSlots;
  private int freeDefaultSlots;
  private int reclaimableSlots;
  private int blockedSlots;

  /**
   * @param custom whether the workers have another spec than the default one
   * @param left the resources that no slot has reserved
   * @param slot the profile of indexed slots
   * @param hasSlot whether an indexed slot is free
   */
  record CapacityClass(
      boolean unused,
      boolean custom,
      ResourceProfile left,
      ResourceProfile slot,
      boolean hasSlot,
      boolean blocked) {
    /**
     * Used workers first, so that unused ones can be released. Then default workers before custom
     * ones, which are started for particular requirements. Then the smallest free capacity, so that
     * large capacities stay available for large profiles.
     */
    static final Comparator<CapacityClass> PACKING =
        Comparator.comparing(CapacityClass::unused)
            .thenComparing(CapacityClass::custom)
            .thenComparing(CapacityClass::left)
            .thenComparing(CapacityClass::slot)
            .thenComparing(CapacityClass::hasSlot)
            .thenComparing(CapacityClass::blocked);

    static CapacityClass of(RegisteredWorker worker) {
      return new CapacityClass(
          worker.isUnused(),
          !worker.isDefault,
          worker.left(),
          worker.slotProfile,
          worker.hasFreeSlot(),
          worker.blocked);
    }

    /** An unspecified profile needs an indexed slot. For other profiles a slot is carved. */
    boolean admits(ResourceProfile needed) {
      return !blocked && (needed.isUnspecified() ? hasSlot && left.fits(slot) : left.fits(needed));
    }
  }

  CapacityIndex(boolean spread) {
    this.spread = spread;
  }

  /** The number of indexed slots that can be allocated. */
  int freeSlots() {
    return freeSlots;
  }

  /** How many of these belong to workers of the default spec. */
  int freeDefaultSlots() {
    return freeDefaultSlots;
  }

  /** How many more default workers have after jobs have returned their surplus slots. */
  int reclaimableSlots() {
    return reclaimableSlots;
  }

  /** The number of free indexed slots of blocked workers. */
  int blockedSlots() {
    return blockedSlots;
  }

  /** The resources of all workers. */
  ResourceProfile total() {
    return total;
  }

  /** The resources that no slot has reserved. */
  ResourceProfile left() {
    return left;
  }

  /** Runs a change of the slots of a worker or of their use, and updates the index. */
  void change(RegisteredWorker worker, Runnable change) {
    unindex(worker);
    change.run();
    index(worker);
  }

  void add(RegisteredWorker worker) {
    total = total.plus(worker.total);
    index(worker);
  }

  void remove(RegisteredWorker worker) {
    unindex(worker);
    total = total.minus(worker.total);
  }

  private void index(RegisteredWorker worker) {
    byClass
        .computeIfAbsent(
            CapacityClass.of(worker),
            key ->
                new TreeSet<>(
                    spread ? RegisteredWorker.LEAST_LOADED_FIRST : RegisteredWorker.BY_ID))
        .add(worker);
    left = left.plus(worker.left());
    freeSlots += worker.availableSlots();
    freeDefaultSlots += worker.isDefault ? worker.availableSlots() : 0;
    reclaimableSlots += worker.isDefault ? worker.reclaimableSlots() : 0;
    blockedSlots += worker.blocked ? worker.freeSlots() : 0;
  }

  private void unindex(RegisteredWorker worker) {
    byClass.computeIfPresent(
        CapacityClass.of(worker),
        (key, workers) -> {
          workers.remove(worker);
          return workers.isEmpty() ? null : workers;
        });
    left = left.minus(worker.left());
    freeSlots -= worker.availableSlots();
    freeDefaultSlots -= worker.isDefault ? worker.availableSlots() : 0;
    reclaimableSlots -= worker.isDefault ? worker.reclaimableSlots() : 0;
    blockedSlots -= worker.blocked ? worker.freeSlots() : 0;
  }

  /** Whether a slot is pending or allocated. */
  boolean inUse() {
    return !byClass.isEmpty() && !byClass.keySet().iterator().next().unused();
  }

  /** The worker on which a slot of the profile is allocated. */
  Optional<RegisteredWorker> best(ResourceProfile needed) {
    RegisteredWorker best = null;
    for (Map.Entry<CapacityClass, TreeSet<RegisteredWorker>> entry : byClass.entrySet()) {
      if (entry.getKey().admits(needed)) {
        RegisteredWorker worker = entry.getValue().first();
        if (!spread) {
          return Optional.of(worker);
        }
        if (best == null || RegisteredWorker.LEAST_LOADED_FIRST.compare(worker, best) < 0) {
          best = worker;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /** An unused worker with exactly this total. */
  Optional<RegisteredWorker> unused(ResourceProfile total) {
    for (Map.Entry<CapacityClass, TreeSet<RegisteredWorker>> entry : byClass.entrySet()) {
      CapacityClass capacity = entry.getKey();
      if (capacity.unused() && !capacity.blocked() && capacity.left().equals(total)) {
        return Optional.of(entry.getValue().first());
      }
    }
    return Optional.empty();
  }

  boolean admits(ResourceProfile needed) {
    for (CapacityClass capacity : byClass.keySet()) {
      if (capacity.admits(needed)) {
        return true;
      }
    }
    return false;
  }
}
