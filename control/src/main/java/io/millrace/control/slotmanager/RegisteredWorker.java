package io.millrace.control.slotmanager;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A registered worker with its indexed and carved slots and its free resources. A slot reserves its
 * profile from {@link #hold} to {@link #release}.
 */
final class RegisteredWorker {
  /** Compares the fraction of slots and resources in use. */
  static final Comparator<RegisteredWorker> LEAST_LOADED_FIRST =
      Comparator.comparingDouble(RegisteredWorker::load).thenComparing(worker -> worker.id);

  static final Comparator<RegisteredWorker> BY_ID = Comparator.comparing(worker -> worker.id);

  final WorkerId id;
  final InstanceId instance;
  final ResourceProfile total;

  /** The profile of each indexed slot. */
  final ResourceProfile slotProfile;

  final Map<Integer, ManagedSlot> slots = new TreeMap<>();
  private final TreeSet<ManagedSlot> carved = new TreeSet<>(ManagedSlot.IN_ORDER);

  /** Indexed slots without a holder. Allocating one also needs enough free resources. */
  private final TreeSet<ManagedSlot> free = new TreeSet<>(ManagedSlot.IN_ORDER);

  private final Map<AllocationId, ManagedSlot> held = new LinkedHashMap<>();

  /** The time at which allocations ended: earlier reports still contain them. */
  private final Map<AllocationId, Long> ended = new LinkedHashMap<>();

  /** Since when the worker is idle; kept by {@link WorkerDemand}. */
  long idleSince;

  /** Whether its free slots are not allocated. */
  boolean blocked;

  /** Whether it has the default spec. */
  boolean isDefault;

  /** Whether it has kept data sets. */
  boolean holdsData;

  private ResourceProfile left;
  private ResourceProfile reserved = ResourceProfile.UNSPECIFIED;
  private int usedSlots;

  /** The resources of surplus slots of jobs, and the number of indexed slots among them. */
  private ResourceProfile surplus = ResourceProfile.UNSPECIFIED;

  private int surplusSlots;
  private int carvedCount;

  RegisteredWorker(
      WorkerId id, InstanceId instance, ResourceProfile total, ResourceProfile slotProfile) {
    this.id = id;
    this.instance = instance;
    this.total = total;
    this.slotProfile = slotProfile;
    this.left = total;
  }

  /** The resources that no slot has reserved. */
  ResourceProfile left() {
    return left;
  }

  boolean isUnused() {
    return held.isEmpty();
  }

  int heldSlots() {
    return held.size();
  }

  boolean hasFreeSlot() {
    return !free.isEmpty();
  }

  /** The number of indexed slots that are free, whether the worker is blocked or not. */
  int freeSlots() {
    return Math.min(slots.size() - usedSlots, left.holds(slotProfile));
  }

  /** How many more slots are available after jobs have returned their surplus slots. */
  int reclaimableSlots() {
    return blocked
        ? 0
        : Math.min(
                slots.size() - usedSlots + surplusSlots,
                total.minus(reserved.minus(surplus)).holds(slotProfile))
            - freeSlots();
  }

  /** The number of indexed slots that can be allocated: none on a blocked worker. */
  int availableSlots() {
    return blocked ? 0 : freeSlots();
  }

  WorkerSpec spec() {
    return WorkerSpec.registered(total, slots.size());
  }

  double load() {
    double slotLoad = slots.isEmpty() ? 0 : (double) usedSlots / slots.size();
    return Math.max(slotLoad, total.share(reserved));
  }

  /** All slots, carved ones last. */
  List<ManagedSlot> all() {
    List<ManagedSlot> all = new ArrayList<>(slots.values());
    all.addAll(carved);
    return all;
  }

  List<ManagedSlot> carved() {
    return new ArrayList<>(carved);
  }

  Optional<ManagedSlot> held(AllocationId allocation) {
    return Optional.ofNullable(held.get(allocation));
  }

  /**
   * A free indexed slot if the profile is unspecified or equal to it, otherwise a new carved slot.
   */
  ManagedSlot slotFor(ResourceProfile needed) {
    return !free.isEmpty() && (needed.isUnspecified() || needed.equals(slotProfile))
        ? free.first()
        : carve(needed);
  }

  /** A new slot, which reserves its profile in {@link #hold}. */
  ManagedSlot carve(ResourceProfile size) {
    return new ManagedSlot(this, slots.size() + carvedCount++, size, true);
  }

  /** Called only in {@link CapacityIndex#change}, like all methods that follow. */
  void hold(ManagedSlot slot, AllocationId allocation) {
    if (slot.isCarved) {
      carved.add(slot);
    } else {
      free.remove(slot);
      usedSlots++;
    }
    if (!slot.isReserved) {
      slot.isReserved = true;
      reserved = reserved.plus(slot.profile);
      left = total.minus(reserved);
    }
    held.put(allocation, slot);
  }

  /** The holder does not need the slot any more. */
  void addSurplus(ManagedSlot slot) {
    surplus = surplus.plus(slot.profile);
    surplusSlots += slot.isCarved ? 0 : 1;
  }

  /** The holder needs the slot again, or has returned it. */
  void removeSurplus(ManagedSlot slot) {
    surplus = surplus.minus(slot.profile);
    surplusSlots -= slot.isCarved ? 0 : 1;
  }

  /** The slot has no holder. It keeps its reservation until {@link #release}. */
  void detach(ManagedSlot slot, AllocationId allocation) {
    held.remove(allocation);
    usedSlots -= slot.isCarved ? 0 : 1;
  }

  /** Frees the reservation of the slot. */
  void release(ManagedSlot slot) {
    if (slot.isReserved) {
      slot.isReserved = false;
      reserved = reserved.minus(slot.profile);
      left = total.minus(reserved);
    }
    if (slot.isCarved) {
      carved.remove(slot);
    } else {
      free.add(slot);
    }
  }

  void ended(AllocationId allocation, long now) {
    ended.put(allocation, now);
  }

  /** Whether an allocation ended at or after the time. */
  boolean endedSince(AllocationId allocation, long time) {
    return ended.getOrDefault(allocation, Long.MIN_VALUE) >= time;
  }

  void removeEnded(long before) {
    ended.values().removeIf(time -> time < before);
  }
}
