package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/** How many registered slots have which profile, in whatever state. */
final class Profiles {
  /** Where one profile fits into another, it comes before it. */
  static final Comparator<ResourceProfile> BY_SIZE =
      Comparator.comparingDouble(ResourceProfile::cpuCores)
          .thenComparingLong(ResourceProfile::taskHeap)
          .thenComparingLong(ResourceProfile::taskOffHeap)
          .thenComparingLong(ResourceProfile::managed)
          .thenComparingLong(ResourceProfile::network);

  private final TreeMap<ResourceProfile, Integer> counts = new TreeMap<>(BY_SIZE);
  private int total;

  void add(ResourceProfile profile) {
    counts.merge(profile, 1, Integer::sum);
    total++;
  }

  void remove(ResourceProfile profile) {
    counts.computeIfPresent(profile, (key, count) -> count == 1 ? null : count - 1);
    total--;
  }

  int total() {
    return total;
  }

  /** There must be one. */
  ResourceProfile largest() {
    return counts.lastKey();
  }

  /** How many slots have room for what is needed. */
  int fitting(ResourceProfile needed) {
    int fitting = 0;
    for (Map.Entry<ResourceProfile, Integer> entry : counts.entrySet()) {
      if (entry.getKey().fits(needed)) {
        fitting += entry.getValue();
      }
    }
    return fitting;
  }
}
