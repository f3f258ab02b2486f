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

/** The requirements and slots of a job. */
final class JobRequirements {
  final JobId id;
  final long order;

  /** Requirements by profile, larger profiles first. */
  final Map<ResourceProfile, ProfileRequirement> byProfile =
      new TreeMap<>(Comparator.reverseOrder());

  private final CapacityIndex capacity;

  /** Slots that serve no requirement. */
  private final TreeSet<ManagedSlot> surplus = new TreeSet<>(ManagedSlot.IN_ORDER);

  int required;
  int held;
  int missing;
  int pending;

  /** Grants and releases since the last journal event. */
  int granted;

  int released;

  /** The content of the last notification of the job. */
  int notifiedMissing;

  Optional<Reason> notifiedReason = Optional.empty();

  /** How long a shortage may last while no slot is registered or granted. */
  Duration timeout = Duration.ZERO;

  /** The earliest time at which its shortage times out; kept by {@link SlotShortages}. */
  long deadline;

  /** Start of the shortage or its last restart; kept by {@link SlotShortages}. */
  long waitingSince;

  /** Whether the current event restarts the timeout. */
  boolean restartTimeout;

  Optional<Reason> lastRefusal = Optional.empty();

  /**
   * @param capacity index that counts surplus slots
   */
  JobRequirements(JobId id, long order, CapacityIndex capacity) {
    this.id = id;
    this.order = order;
    this.capacity = capacity;
  }

  /** Replaces the requirements; returns whether they changed. */
  boolean declare(List<Requirement> declaration) {
    Map<ResourceProfile, Integer> declared = new TreeMap<>();
    declaration.forEach(
        requirement -> declared.merge(requirement.profile(), requirement.slots(), Integer::sum));
    boolean changed = false;
    for (ProfileRequirement requirement : new ArrayList<>(byProfile.values())) {
      int slots = declared.getOrDefault(requirement.profile, 0);
      changed |= requirement.required != slots;
      requirement.required = slots;
      while (requirement.slots.size() > slots) {
        ManagedSlot last = requirement.slots.pollLast();
        last.serves = Optional.empty();
        addSurplus(last);
      }
      if (slots == 0) {
        byProfile.remove(requirement.profile);
      }
    }
    for (Map.Entry<ResourceProfile, Integer> entry : declared.entrySet()) {
      if (!byProfile.containsKey(entry.getKey())) {
        ProfileRequirement requirement = new ProfileRequirement(this, entry.getKey());
        requirement.required = entry.getValue();
        byProfile.put(entry.getKey(), requirement);
        changed = true;
      }
    }
    assignSurplus();
    if (missing > 0) {
      assignExactly();
    }
    return changed;
  }

  /**
   * Lets slots serve the requirement of their own profile instead of a smaller one. The JobMaster
   * requires a slot that it uses with the profile of that slot, whatever it asked for.
   */
  private void assignExactly() {
    for (ProfileRequirement requirement : byProfile.values()) {
      for (ProfileRequirement other : byProfile.values()) {
        for (ManagedSlot slot :
            requirement.missing() == 0 || other == requirement
                ? List.<ManagedSlot>of()
                : new ArrayList<>(other.slots)) {
          if (requirement.missing() > 0 && slot.profile.equals(requirement.profile)) {
            other.slots.remove(slot);
            serve(slot, requirement);
          }
        }
      }
    }
    assignSurplus();
  }

  /** Adds a slot that serves the given requirement if that misses one, otherwise any other. */
  void take(ManagedSlot slot, ProfileRequirement intended) {
    if (byProfile.get(intended.profile) == intended && intended.missing() > 0) {
      held++;
      serve(slot, intended);
      count();
    } else {
      take(slot);
    }
  }

  /** Adds a slot that serves the first requirement it fits, or is surplus. */
  void take(ManagedSlot slot) {
    held++;
    slot.serves = Optional.empty();
    byProfile.values().stream()
        .filter(requirement -> requirement.missing() > 0 && slot.profile.fits(requirement.profile))
        .findFirst()
        .ifPresentOrElse(requirement -> serve(slot, requirement), () -> addSurplus(slot));
    count();
  }

  private static void serve(ManagedSlot slot, ProfileRequirement requirement) {
    slot.serves = Optional.of(requirement);
    requirement.slots.add(slot);
  }

  /** Removes a slot. */
  void lose(ManagedSlot slot) {
    held--;
    slot.serves.ifPresentOrElse(
        requirement -> requirement.slots.remove(slot), () -> removeSurplus(slot));
    slot.serves = Optional.empty();
    assignSurplus();
  }

  /** Assigns surplus slots to requirements with missing slots. */
  private void assignSurplus() {
    if (!surplus.isEmpty()) {
      for (ProfileRequirement requirement : byProfile.values()) {
        for (ManagedSlot slot :
            requirement.missing() == 0 ? List.<ManagedSlot>of() : new ArrayList<>(surplus)) {
          if (requirement.missing() > 0 && slot.profile.fits(requirement.profile)) {
            removeSurplus(slot);
            serve(slot, requirement);
          }
        }
      }
    }
    count();
  }

  /** The slots that serve no requirement. */
  List<ManagedSlot> surplus() {
    return new ArrayList<>(surplus);
  }

  private void addSurplus(ManagedSlot slot) {
    surplus.add(slot);
    capacity.change(slot.worker, () -> slot.worker.addSurplus(slot));
  }

  private void removeSurplus(ManagedSlot slot) {
    surplus.remove(slot);
    capacity.change(slot.worker, () -> slot.worker.removeSurplus(slot));
  }

  private void count() {
    required = 0;
    missing = 0;
    for (ProfileRequirement requirement : byProfile.values()) {
      required += requirement.required;
      missing += requirement.missing();
    }
  }

  /** The number of missing slots by profile, larger profiles first. */
  Map<ResourceProfile, Integer> missing() {
    Map<ResourceProfile, Integer> missingSlots = new LinkedHashMap<>();
    for (ProfileRequirement requirement : byProfile.values()) {
      if (requirement.missing() > 0) {
        missingSlots.put(requirement.profile, requirement.missing());
      }
    }
    return missingSlots;
  }

  /** Whether the job has neither requirements nor slots. */
  boolean isObsolete() {
    return byProfile.isEmpty() && held == 0;
  }
}
