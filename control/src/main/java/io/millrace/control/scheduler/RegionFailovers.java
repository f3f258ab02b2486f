package io.millrace.control.scheduler;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fail-overs in progress: regions that stop and restart together, when all their tasks have
 * ended and the delay of the restart is over.
 */
final class RegionFailovers {
  private final Map<Long, List<Region>> delayed = new HashMap<>();
  private long last;
  private int stopping;

  /** Begins a fail-over of regions that are not stopping. Returns its number. */
  long begin(Collection<Region> regions) {
    last++;
    for (Region region : regions) {
      region.failover = last;
      region.delayOver = false;
      stopping++;
    }
    delayed.put(last, new ArrayList<>(regions));
    return last;
  }

  /** Ends the delay of a fail-over. Returns those of its regions that still stop because of it. */
  List<Region> delayOver(long failover) {
    List<Region> regions = delayed.remove(failover);
    if (regions == null) {
      return List.of();
    }
    List<Region> due = new ArrayList<>();
    for (Region region : regions) {
      if (region.phase == Region.Phase.STOPPING && region.failover == failover) {
        region.delayOver = true;
        due.add(region);
      }
    }
    return due;
  }

  static boolean mayRestart(Region region) {
    return region.phase == Region.Phase.STOPPING && region.open == 0 && region.delayOver;
  }

  /** A region restarts. Returns whether no other one is stopping. */
  boolean restarts() {
    stopping--;
    return stopping == 0;
  }

  /** No region restarts any more. */
  void clear() {
    delayed.clear();
  }
}
