package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The needs that lack slots, by what they lack. */
final class MissingSlots {
  private final Map<ResourceProfile, TreeSet<ProfileRequirement>> needs = new TreeMap<>();
  private final TreeMap<ResourceProfile, Integer> counts = new TreeMap<>();

  /** Runs what changes a job's needs or slots, and puts its needs where they then belong. */
  void change(JobRequirements job, Runnable change) {
    for (ProfileRequirement need : job.needs.values()) {
      count(need.profile, -need.missing());
      needs.computeIfPresent(
          need.profile,
          (profile, same) -> {
            same.remove(need);
            return same.isEmpty() ? null : same;
          });
    }
    change.run();
    for (ProfileRequirement need : job.needs.values()) {
      if (need.missing() > 0) {
        needs
            .computeIfAbsent(need.profile, profile -> new TreeSet<>(ProfileRequirement.IN_ORDER))
            .add(need);
        count(need.profile, need.missing());
      }
    }
  }

  private void count(ResourceProfile profile, int change) {
    if (change != 0) {
      counts.merge(profile, change, (before, now) -> before + now == 0 ? null : before + now);
    }
  }

  /** How many slots of which profile are missing, what is harder to find first. */
  Map<ResourceProfile, Integer> counts() {
    return counts.descendingMap();
  }

  /** What is missing, what is harder to find first. */
  List<ResourceProfile> profiles() {
    return new ArrayList<>(counts().keySet());
  }

  /** The need that is served next, of those there is room for. */
  Optional<ProfileRequirement> next(CapacityIndex capacity) {
    ProfileRequirement next = null;
    for (Map.Entry<ResourceProfile, TreeSet<ProfileRequirement>> entry : needs.entrySet()) {
      ProfileRequirement candidate = entry.getValue().first();
      if ((next == null || ProfileRequirement.IN_ORDER.compare(candidate, next) < 0)
          && capacity.admit(entry.getKey())) {
        next = candidate;
      }
    }
    return Optional.ofNullable(next);
  }

  /** How old the oldest job is that lacks such a slot: less is older. There must be one. */
  long oldest(ResourceProfile profile) {
    return first(profile).orElseThrow().job.order;
  }

  Optional<ProfileRequirement> first(ResourceProfile profile) {
    return Optional.ofNullable(needs.get(profile)).map(TreeSet::first);
  }

  /** Whether the worker would have room for anything that is missing if nobody had any of it. */
  boolean couldUse(RegisteredWorker worker) {
    return !worker.blocked && needs.keySet().stream().anyMatch(worker.total::fits);
  }

  /**
   * Profiles that no registered worker has room for, even if it had nothing else to do, and none
   * that could be started. While no worker is registered and none can be started nothing is known
   * about sizes, and a shortage of everything is still only a shortage.
   */
  List<ResourceProfile> neverFitting(WorkerSizes sizes, WorkerDemand demand) {
    List<ResourceProfile> never = new ArrayList<>();
    if (sizes.workers() > 0 || demand.isActive()) {
      for (ResourceProfile profile : needs.keySet()) {
        if (!sizes.fit(profile) && !demand.fits(profile)) {
          never.add(profile);
        }
      }
    }
    return never;
  }
}
