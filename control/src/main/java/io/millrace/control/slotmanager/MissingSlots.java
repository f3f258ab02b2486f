package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Requirements with missing slots, by profile. */
final class MissingSlots {
  private final Map<ResourceProfile, TreeSet<ProfileRequirement>> byProfile = new TreeMap<>();
  private final TreeMap<ResourceProfile, Integer> counts = new TreeMap<>();

  /** Runs a change of the requirements or slots of a job and updates the index. */
  void change(JobRequirements job, Runnable change) {
    for (ProfileRequirement requirement : job.byProfile.values()) {
      count(requirement.profile, -requirement.missing());
      byProfile.computeIfPresent(
          requirement.profile,
          (profile, others) -> {
            others.remove(requirement);
            return others.isEmpty() ? null : others;
          });
    }
    change.run();
    for (ProfileRequirement requirement : job.byProfile.values()) {
      if (requirement.missing() > 0) {
        byProfile
            .computeIfAbsent(
                requirement.profile, profile -> new TreeSet<>(ProfileRequirement.IN_ORDER))
            .add(requirement);
        count(requirement.profile, requirement.missing());
      }
    }
  }

  private void count(ResourceProfile profile, int change) {
    if (change != 0) {
      counts.merge(profile, change, (before, now) -> before + now == 0 ? null : before + now);
    }
  }

  /** The number of missing slots by profile, larger profiles first. */
  Map<ResourceProfile, Integer> counts() {
    return counts.descendingMap();
  }

  /** The profiles of missing slots, larger profiles first. */
  List<ResourceProfile> profiles() {
    return new ArrayList<>(counts().keySet());
  }

  /** The next requirement that gets a slot, among those that fit the free capacity. */
  Optional<ProfileRequirement> next(CapacityIndex capacity) {
    ProfileRequirement next = null;
    for (Map.Entry<ResourceProfile, TreeSet<ProfileRequirement>> entry : byProfile.entrySet()) {
      ProfileRequirement candidate = entry.getValue().first();
      if ((next == null || ProfileRequirement.IN_ORDER.compare(candidate, next) < 0)
          && capacity.admits(entry.getKey())) {
        next = candidate;
      }
    }
    return Optional.ofNullable(next);
  }

  /** The order of the oldest job with a missing slot of the profile. There must be one. */
  long oldest(ResourceProfile profile) {
    return first(profile).orElseThrow().job.order;
  }

  Optional<ProfileRequirement> first(ResourceProfile profile) {
    return Optional.ofNullable(byProfile.get(profile)).map(TreeSet::first);
  }

  /** Whether the worker, with all its slots free, fits a missing slot. */
  boolean couldServe(RegisteredWorker worker) {
    return !worker.blocked && byProfile.keySet().stream().anyMatch(worker.total::fits);
  }

  /**
   * The profiles that exceed the total of each registered worker and of each worker that the driver
   * can start. Empty while no worker is registered and none can be started, since sizes are not
   * known then.
   */
  List<ResourceProfile> unfulfillable(WorkerSizes sizes, WorkerDemand demand) {
    List<ResourceProfile> unfulfillable = new ArrayList<>();
    if (sizes.workers() > 0 || demand.isActive()) {
      for (ResourceProfile profile : byProfile.keySet()) {
        if (!sizes.fit(profile) && !demand.canStartFor(profile)) {
          unfulfillable.add(profile);
        }
      }
    }
    return unfulfillable;
  }
}
