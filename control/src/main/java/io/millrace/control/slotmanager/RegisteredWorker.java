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
 * A registered worker: its equal slots, those carved from it, and what they leave of its total. A
 * slot has its part from the time somebody holds it until it is released.
 */
final class RegisteredWorker {
  /** The least used first, by the part of it that is in use. */
  static final Comparator<RegisteredWorker> SPREADING =
      Comparator.comparingDouble(RegisteredWorker::load).thenComparing(worker -> worker.id);

  static final Comparator<RegisteredWorker> BY_NAME = Comparator.comparing(worker -> worker.id);

  final WorkerId id;
  final InstanceId instance;
  final ResourceProfile total;

  /** What each of the equal slots has. */
  final ResourceProfile slotProfile;

  final Map<Integer, ManagedSlot> slots = new TreeMap<>();
  private final TreeSet<ManagedSlot> carved = new TreeSet<>(ManagedSlot.IN_ORDER);

  /** Equal slots that can be handed out, as far as what is left allows it. */
  private final TreeSet<ManagedSlot> free = new TreeSet<>(ManagedSlot.IN_ORDER);

  private final Map<AllocationId, ManagedSlot> held = new LinkedHashMap<>();

  /** When carved slots ended: a report from before that still has them. */
  private final Map<AllocationId, Long> ended = new LinkedHashMap<>();

  /** Since when nobody uses it; kept by {@link WorkerDemand}. */
  long idleSince;

  /** Whether what it has free is not handed out. */
  boolean blocked;

  /** Whether it is of the size that is started by default. */
  boolean isUsual;

  /** Whether it has results that somebody may need. */
  boolean holdsData;

  private ResourceProfile left;
  private ResourceProfile taken = ResourceProfile.UNSPECIFIED;
  private int usedSlots;

  /** What slots have whose holders have enough without them, and how many are equal ones. */
  private ResourceProfile surplus = ResourceProfile.UNSPECIFIED;

  private int surplusSlots;
  private int carvings;

  RegisteredWorker(
      WorkerId id, InstanceId instance, ResourceProfile total, ResourceProfile slotProfile) {
    this.id = id;
    this.instance = instance;
    this.total = total;
    this.slotProfile = slotProfile;
    this.left = total;
  }

  /** What no slot has. */
  ResourceProfile left() {
    return left;
  }

  boolean isUnused() {
    return held.isEmpty();
  }

  boolean hasFreeSlot() {
    return !free.isEmpty();
  }

  /** How many of the equal slots can still be had. */
  int freeSlots() {
    return Math.min(slots.size() - usedSlots, left.holds(slotProfile));
  }

  /** How many more of these can be had when its holders have given back what they do not need. */
  int promisedSlots() {
    return blocked
        ? 0
        : Math.min(
                slots.size() - usedSlots + surplusSlots,
                total.minus(taken.minus(surplus)).holds(slotProfile))
            - freeSlots();
  }

  /** The same, of a worker that hands out any. */
  int openSlots() {
    return blocked ? 0 : freeSlots();
  }

  WorkerSpec spec() {
    return WorkerSpec.registered(total, slots.size());
  }

  double load() {
    double ofSlots = slots.isEmpty() ? 0 : (double) usedSlots / slots.size();
    return Math.max(ofSlots, total.share(taken));
  }

  /** All slots there are, the carved ones last. */
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

  /** An equal slot where that is what is needed, otherwise one carved for it. */
  ManagedSlot slotFor(ResourceProfile needed) {
    return !free.isEmpty() && (needed.isUnspecified() || needed.equals(slotProfile))
        ? free.first()
        : carve(needed);
  }

  /** A slot that takes its part as soon as somebody holds it. */
  ManagedSlot carve(ResourceProfile size) {
    return new ManagedSlot(this, slots.size() + carvings++, size, true);
  }

  /** Only inside {@link CapacityIndex#change}, like all that follows. */
  void hold(ManagedSlot slot, AllocationId by) {
    if (slot.isCarved) {
      carved.add(slot);
    } else {
      free.remove(slot);
      usedSlots++;
    }
    if (!slot.hasItsPart) {
      slot.hasItsPart = true;
      taken = taken.plus(slot.profile);
      left = total.minus(taken);
    }
    held.put(by, slot);
  }

  /** Its holder has enough without the slot. */
  void promise(ManagedSlot slot) {
    surplus = surplus.plus(slot.profile);
    surplusSlots += slot.isCarved ? 0 : 1;
  }

  /** Its holder needs the slot after all, or has given it back. */
  void claim(ManagedSlot slot) {
    surplus = surplus.minus(slot.profile);
    surplusSlots -= slot.isCarved ? 0 : 1;
  }

  /** The slot is nobody's, and still has its part until it is {@link #release}d. */
  void abandon(ManagedSlot slot, AllocationId by) {
    held.remove(by);
    usedSlots -= slot.isCarved ? 0 : 1;
  }

  /** Lets others have what the slot had. */
  void release(ManagedSlot slot) {
    if (slot.hasItsPart) {
      slot.hasItsPart = false;
      taken = taken.minus(slot.profile);
      left = total.minus(taken);
    }
    if (slot.isCarved) {
      carved.remove(slot);
    } else {
      free.add(slot);
    }
  }

  void ended(AllocationId carved, long now) {
    ended.put(carved, now);
  }

  /** Whether a carved slot ended only after that time. */
  boolean endedSince(AllocationId carved, long time) {
    return ended.getOrDefault(carved, Long.MIN_VALUE) >= time;
  }

  void forgetEnded(long before) {
    ended.values().removeIf(time -> time < before);
  }
}
