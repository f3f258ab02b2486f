package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.reason.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a job needs and has. */
final class JobRequirements {
  final JobId id;
  final long order;

  /** Its needs, what is harder to find first. */
  final Map<ResourceProfile, ProfileRequirement> needs = new TreeMap<>(Comparator.reverseOrder());

  private final CapacityIndex capacity;

  /** Slots it has beyond its needs. */
  private final TreeSet<ManagedSlot> surplus = new TreeSet<>(ManagedSlot.IN_ORDER);

  int required;
  int held;
  int missing;
  int pending;

  /** Grants and releases since the journal was last told of them. */
  int granted;

  int released;

  /** What the job was last told. */
  int toldMissing;

  Optional<Reason> toldReason = Optional.empty();

  /** How long it waits while no slots come. */
  Duration patience = Duration.ZERO;

  /** When it has waited for long enough, at the earliest; kept by {@link SlotShortages}. */
  long deadline;

  /** Since when it waits without slots coming; kept by {@link SlotShortages}. */
  long waitsSince;

  /** Whether the event in hand lets the waiting count anew. */
  boolean countAnew;

  Optional<Reason> lastRefusal = Optional.empty();

  /**
   * @param capacity hears which slots the job could do without
   */
  JobRequirements(JobId id, long order, CapacityIndex capacity) {
    this.id = id;
    this.order = order;
    this.capacity = capacity;
  }

  /** Takes over a declaration; returns whether it says anything new. */
  boolean declare(List<Requirement> requirements) {
    Map<ResourceProfile, Integer> wanted = new TreeMap<>();
    requirements.forEach(
        requirement -> wanted.merge(requirement.profile(), requirement.slots(), Integer::sum));
    boolean changed = false;
    for (ProfileRequirement need : new ArrayList<>(needs.values())) {
      int now = wanted.getOrDefault(need.profile, 0);
      changed |= need.required != now;
      need.required = now;
      while (need.slots.size() > now) {
        ManagedSlot last = need.slots.pollLast();
        last.serves = Optional.empty();
        spare(last);
      }
      if (now == 0) {
        needs.remove(need.profile);
      }
    }
    for (Map.Entry<ResourceProfile, Integer> entry : wanted.entrySet()) {
      if (!needs.containsKey(entry.getKey())) {
        ProfileRequirement need = new ProfileRequirement(this, entry.getKey());
        need.required = entry.getValue();
        needs.put(entry.getKey(), need);
        changed = true;
      }
    }
    settle();
    return changed;
  }

  /** A slot is its own from now on, for the given need as long as that misses one. */
  void take(ManagedSlot slot, Optional<ProfileRequirement> intended) {
    held++;
    Optional<ProfileRequirement> need =
        intended
            .filter(wanted -> needs.get(wanted.profile) == wanted && wanted.missing() > 0)
            .or(
                () ->
                    needs.values().stream()
                        .filter(any -> any.missing() > 0 && slot.profile.fits(any.profile))
                        .findFirst());
    slot.serves = need;
    need.ifPresentOrElse(found -> found.slots.add(slot), () -> spare(slot));
    count();
  }

  /** The slot is no longer its own. */
  void lose(ManagedSlot slot) {
    held--;
    slot.serves.ifPresentOrElse(need -> need.slots.remove(slot), () -> claim(slot));
    slot.serves = Optional.empty();
    settle();
  }

  /** Lets surplus slots serve what is missing. */
  private void settle() {
    if (!surplus.isEmpty()) {
      for (ProfileRequirement need : needs.values()) {
        for (ManagedSlot slot :
            need.missing() == 0 ? List.<ManagedSlot>of() : new ArrayList<>(surplus)) {
          if (need.missing() > 0 && slot.profile.fits(need.profile)) {
            claim(slot);
            need.slots.add(slot);
            slot.serves = Optional.of(need);
          }
        }
      }
    }
    count();
  }

  /** The slots it has beyond its needs. */
  List<ManagedSlot> surplus() {
    return new ArrayList<>(surplus);
  }

  private void spare(ManagedSlot slot) {
    surplus.add(slot);
    capacity.change(slot.worker, () -> slot.worker.promise(slot));
  }

  private void claim(ManagedSlot slot) {
    surplus.remove(slot);
    capacity.change(slot.worker, () -> slot.worker.claim(slot));
  }

  private void count() {
    required = 0;
    missing = 0;
    for (ProfileRequirement need : needs.values()) {
      required += need.required;
      missing += need.missing();
    }
  }

  /** How many slots of which profile it lacks, what is harder to find first. */
  Map<ResourceProfile, Integer> missing() {
    Map<ResourceProfile, Integer> lacking = new LinkedHashMap<>();
    for (ProfileRequirement need : needs.values()) {
      if (need.missing() > 0) {
        lacking.put(need.profile, need.missing());
      }
    }
    return lacking;
  }

  boolean isForgettable() {
    return needs.isEmpty() && held == 0;
  }
}
