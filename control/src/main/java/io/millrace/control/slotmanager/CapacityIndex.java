package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What workers can still give: those that have the same left of themselves stand together, best
 * first. A worker's place depends on its slots and their use, so every change of these goes through
 * {@link #change}.
 */
final class CapacityIndex {
  private final boolean spread;
  private final Map<Room, TreeSet<RegisteredWorker>> byRoom = new TreeMap<>(Room.PACKING);
  private ResourceProfile total = ResourceProfile.UNSPECIFIED;
  private ResourceProfile left = ResourceProfile.UNSPECIFIED;
  private int freeSlots;
  private int spareSlots;
  private int promisedSlots;
  private int blockedSlots;

  /** What is left of a worker. */
  record Room(
      boolean unused,
      boolean larger,
      ResourceProfile left,
      ResourceProfile slot,
      boolean hasSlot,
      boolean blocked) {
    /**
     * Workers in use first, so that others stay empty and can be given back; those made for others
     * last; then what leaves the least over, so that large rooms stay for those who need them.
     */
    static final Comparator<Room> PACKING =
        Comparator.comparing(Room::unused)
            .thenComparing(Room::larger)
            .thenComparing(Room::left)
            .thenComparing(Room::slot)
            .thenComparing(Room::hasSlot)
            .thenComparing(Room::blocked);

    static Room of(RegisteredWorker worker) {
      return new Room(
          worker.isUnused(),
          !worker.isUsual,
          worker.left(),
          worker.slotProfile,
          worker.hasFreeSlot(),
          worker.blocked);
    }

    /** What names no size takes one of the equal slots; anything else is carved where it fits. */
    boolean admits(ResourceProfile needed) {
      return !blocked && (needed.isUnspecified() ? hasSlot && left.fits(slot) : left.fits(needed));
    }
  }

  CapacityIndex(boolean spread) {
    this.spread = spread;
  }

  /** How many more slots can be had of those that workers have by themselves. */
  int freeSlots() {
    return freeSlots;
  }

  /** How many of these belong to usual workers. */
  int spareSlots() {
    return spareSlots;
  }

  /** How many more usual workers have when jobs have given back what they do not need. */
  int promisedSlots() {
    return promisedSlots;
  }

  /** How many more could be had if no worker was blocked. */
  int blockedSlots() {
    return blockedSlots;
  }

  /** What all workers have together. */
  ResourceProfile total() {
    return total;
  }

  /** What nobody has of that. */
  ResourceProfile left() {
    return left;
  }

  /** Runs what changes a worker's slots or their use, and puts the worker where it then belongs. */
  void change(RegisteredWorker worker, Runnable change) {
    leave(worker);
    change.run();
    enter(worker);
  }

  void add(RegisteredWorker worker) {
    total = total.plus(worker.total);
    enter(worker);
  }

  void remove(RegisteredWorker worker) {
    leave(worker);
    total = total.minus(worker.total);
  }

  private void enter(RegisteredWorker worker) {
    byRoom
        .computeIfAbsent(
            Room.of(worker),
            room -> new TreeSet<>(spread ? RegisteredWorker.SPREADING : RegisteredWorker.BY_NAME))
        .add(worker);
    left = left.plus(worker.left());
    freeSlots += worker.openSlots();
    spareSlots += worker.isUsual ? worker.openSlots() : 0;
    promisedSlots += worker.isUsual ? worker.promisedSlots() : 0;
    blockedSlots += worker.blocked ? worker.freeSlots() : 0;
  }

  private void leave(RegisteredWorker worker) {
    byRoom.computeIfPresent(
        Room.of(worker),
        (room, workers) -> {
          workers.remove(worker);
          return workers.isEmpty() ? null : workers;
        });
    left = left.minus(worker.left());
    freeSlots -= worker.openSlots();
    spareSlots -= worker.isUsual ? worker.openSlots() : 0;
    promisedSlots -= worker.isUsual ? worker.promisedSlots() : 0;
    blockedSlots -= worker.blocked ? worker.freeSlots() : 0;
  }

  /** Whether anybody has a slot. */
  boolean inUse() {
    return !byRoom.isEmpty() && !byRoom.keySet().iterator().next().unused();
  }

  /** The worker to take a slot from. */
  Optional<RegisteredWorker> best(ResourceProfile needed) {
    RegisteredWorker best = null;
    for (Map.Entry<Room, TreeSet<RegisteredWorker>> entry : byRoom.entrySet()) {
      if (entry.getKey().admits(needed)) {
        RegisteredWorker worker = entry.getValue().first();
        if (!spread) {
          return Optional.of(worker);
        }
        if (best == null || RegisteredWorker.SPREADING.compare(worker, best) < 0) {
          best = worker;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /** A worker of just this size that nobody uses. */
  Optional<RegisteredWorker> whole(ResourceProfile total) {
    for (Map.Entry<Room, TreeSet<RegisteredWorker>> entry : byRoom.entrySet()) {
      Room room = entry.getKey();
      if (room.unused() && !room.blocked() && room.left().equals(total)) {
        return Optional.of(entry.getValue().first());
      }
    }
    return Optional.empty();
  }

  boolean admit(ResourceProfile needed) {
    for (Room room : byRoom.keySet()) {
      if (room.admits(needed)) {
        return true;
      }
    }
    return false;
  }
}
