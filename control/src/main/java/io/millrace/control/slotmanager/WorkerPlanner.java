package io.millrace.control.slotmanager;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.core.ResourceProfile;
import io.millrace.protocol.reason.SlotReason;
import io.millrace.protocol.reason.SlotReason.StartedWorkerTooSmall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Computes how many workers of which spec a driver should run: enough for the missing slots, the
 * spares and the configured minimum, within the limits. Profiles that fit the default spec get
 * workers of the default spec. Each slot of another profile gets a custom worker of its own if the
 * driver can start one.
 */
final class WorkerPlanner {
  private final SlotSettings.Bounds bounds;
  private final Startable startable;
  private final ResourceLimits limits;
  private final WorkerSpec defaultSpec;

  /**
   * Custom specs of missing profiles that do not fit the default spec; empty if none is possible.
   */
  private final Map<ResourceProfile, Optional<WorkerSpec>> customSpecs = new TreeMap<>();

  /**
   * The capacity of registered workers.
   *
   * @param free the available indexed slots of default workers
   * @param reclaimable how many more these are after jobs have returned their surplus slots
   * @param inUse whether a slot is pending or allocated
   * @param draining the number of default workers in use that need others in their place
   */
  record RegisteredCapacity(
      WorkerTotals totals, int free, int reclaimable, boolean inUse, int draining) {
    RegisteredCapacity without(RegisteredWorker worker) {
      return new RegisteredCapacity(
          new WorkerTotals(
              totals.workers() - 1,
              totals.slots() - worker.slots.size(),
              totals.total().minus(worker.total)),
          free - (worker.isDefault ? worker.availableSlots() : 0),
          reclaimable - (worker.isDefault ? worker.reclaimableSlots() : 0),
          inUse,
          draining);
    }
  }

  WorkerPlanner(SlotSettings.Bounds bounds, Startable startable) {
    this.bounds = bounds;
    this.startable = startable;
    this.limits = bounds.limits(startable.most(), startable.limit());
    this.defaultSpec = startable.spec();
  }

  ResourceLimits limits() {
    return limits;
  }

  /** The spec of the worker that is started for the profile; empty if no worker can fit it. */
  Optional<WorkerSpec> workerFor(ResourceProfile needed) {
    return defaultSpec.total().fits(needed) ? Optional.of(defaultSpec) : customFor(needed);
  }

  /** The custom spec for the profile; empty if the default spec fits or none is possible. */
  Optional<WorkerSpec> customFor(ResourceProfile needed) {
    if (defaultSpec.total().fits(needed)) {
      return Optional.empty();
    }
    return customSpecs.computeIfAbsent(
        needed, slot -> startable.larger().flatMap(larger -> larger.forSlot(slot)));
  }

  /** Why no worker can be started for the profile. */
  SlotReason refusal(ResourceProfile needed) {
    return startable
        .larger()
        .map(larger -> larger.refusal(needed))
        .orElseGet(() -> new StartedWorkerTooSmall(defaultSpec.total()));
  }

  /** Removes cached custom specs of other profiles. */
  void retainCustomSpecs(Map<ResourceProfile, Integer> missing) {
    customSpecs.keySet().retainAll(missing.keySet());
  }

  /**
   * The workers that the missing slots need.
   *
   * @param missing the number of missing slots by profile, larger profiles first
   */
  Map<WorkerSpec, Integer> needed(Map<ResourceProfile, Integer> missing) {
    Map<WorkerSpec, Integer> needed = new TreeMap<>();
    // The free part of the last default worker that is counted in the result.
    ResourceProfile free = ResourceProfile.UNSPECIFIED;
    int freeSlots = 0;
    for (Map.Entry<ResourceProfile, Integer> entry : missing.entrySet()) {
      boolean unspecified = entry.getKey().isUnspecified();
      ResourceProfile size = unspecified ? defaultSpec.slot() : entry.getKey();
      int count = entry.getValue();
      if (!defaultSpec.total().fits(size)) {
        customFor(size).ifPresent(spec -> needed.merge(spec, entry.getValue(), Integer::sum));
        continue;
      }
      int fitting =
          Math.min(count, unspecified ? Math.min(freeSlots, free.holds(size)) : free.holds(size));
      count -= fitting;
      free = free.minus(size.times(fitting));
      freeSlots -= unspecified ? fitting : 0;
      if (count > 0) {
        int each = unspecified ? defaultSpec.slots() : defaultSpec.total().holds(size);
        needed.merge(defaultSpec, (count + each - 1) / each, Integer::sum);
        int last = (count - 1) % each + 1;
        free = defaultSpec.total().minus(size.times(last));
        freeSlots = unspecified ? defaultSpec.slots() - last : defaultSpec.slots();
      }
    }
    return needed;
  }

  /**
   * The workers to declare beside the registered ones.
   *
   * @param needed the result of {@link #needed} for all missing slots
   */
  Map<WorkerSpec, Integer> additional(
      RegisteredCapacity capacity, Map<WorkerSpec, Integer> needed, MissingSlots missing) {
    Map<WorkerSpec, Integer> additional = new TreeMap<>();
    WorkerTotals totals = capacity.totals();
    for (WorkerSpec spec : oldestJobFirst(needed, missing)) {
      totals = add(additional, totals, spec, needed.get(spec));
    }
    totals =
        add(additional, totals, defaultSpec, missingSpares(capacity, needed, missing.counts()));
    add(additional, totals, defaultSpec, missingForMinimum(totals));
    return additional;
  }

  /** The needed specs, those of older jobs first: a limit may not allow all. */
  private List<WorkerSpec> oldestJobFirst(Map<WorkerSpec, Integer> needed, MissingSlots missing) {
    if (needed.size() < 2) {
      return List.copyOf(needed.keySet());
    }
    Map<WorkerSpec, Long> oldest = new TreeMap<>();
    missing
        .counts()
        .keySet()
        .forEach(
            profile ->
                workerFor(profile)
                    .ifPresent(spec -> oldest.merge(spec, missing.oldest(profile), Math::min)));
    return needed.keySet().stream()
        .sorted(
            Comparator.comparingLong((WorkerSpec spec) -> oldest.get(spec))
                .thenComparing(Comparator.reverseOrder()))
        .toList();
  }

  private WorkerTotals add(
      Map<WorkerSpec, Integer> additional, WorkerTotals totals, WorkerSpec spec, int needed) {
    int count = Math.min(needed, limits.room(totals, spec));
    if (count > 0) {
      additional.merge(spec, count, Integer::sum);
    }
    return totals.plus(spec, count);
  }

  /**
   * The idle workers to release, spares included, because a limit does not allow needed workers
   * beside them. Workers that fit a missing slot and the configured minimum are kept.
   *
   * @param idle candidates, in the order of their release
   */
  List<RegisteredWorker> toDisplace(
      RegisteredCapacity capacity,
      Iterable<RegisteredWorker> idle,
      Map<WorkerSpec, Integer> needed,
      MissingSlots missing) {
    List<RegisteredWorker> displaced = new ArrayList<>();
    Deque<RegisteredWorker> candidates = new ArrayDeque<>();
    idle.forEach(
        worker -> {
          if (!missing.couldServe(worker)) {
            candidates.add(worker);
          }
        });
    RegisteredCapacity remaining = capacity;
    WorkerTotals added = WorkerTotals.NONE;
    for (WorkerSpec spec : oldestJobFirst(needed, missing)) {
      int open = needed.get(spec);
      while (open > 0) {
        int allowed = Math.min(open, limits.room(remaining.totals().plus(added), spec));
        added = added.plus(spec, allowed);
        open -= allowed;
        if (open > 0) {
          List<RegisteredWorker> next = displacedForOne(remaining, added, candidates, spec);
          if (next.isEmpty()) {
            break;
          }
          for (RegisteredWorker worker : next) {
            remaining = remaining.without(worker);
            candidates.remove(worker);
          }
          displaced.addAll(next);
        }
      }
    }
    return displaced;
  }

  /** The first candidates without which the limits allow one more worker; empty if impossible. */
  private List<RegisteredWorker> displacedForOne(
      RegisteredCapacity capacity,
      WorkerTotals added,
      Iterable<RegisteredWorker> candidates,
      WorkerSpec spec) {
    List<RegisteredWorker> displaced = new ArrayList<>();
    RegisteredCapacity remaining = capacity;
    for (RegisteredWorker worker : candidates) {
      displaced.add(worker);
      remaining = remaining.without(worker);
      WorkerTotals totals = remaining.totals().plus(added);
      if (limits.room(totals, spec) > 0) {
        int missingBefore = missingForMinimum(capacity.totals().plus(added));
        return missingForMinimum(totals.plus(spec, 1)) > missingBefore
            ? new ArrayList<>()
            : displaced;
      }
    }
    return new ArrayList<>();
  }

  /** Whether an idle worker is kept as a spare or for the configured minimum. */
  boolean mustKeep(RegisteredCapacity capacity, RegisteredWorker worker) {
    RegisteredCapacity remaining = capacity.without(worker);
    return missingForMinimum(remaining.totals()) > 0
        || (worker.isDefault
            && capacity.inUse()
            && remaining.free() < spares(capacity) * defaultSpec.slots());
  }

  /**
   * The number of default workers that are missing as spares. Spares can replace a worker in use at
   * once; there are none while no worker is in use or needed. Surplus slots of jobs count as free,
   * since the jobs return them soon.
   */
  private int missingSpares(
      RegisteredCapacity capacity,
      Map<WorkerSpec, Integer> needed,
      Map<ResourceProfile, Integer> missing) {
    int spares = spares(capacity);
    if (spares == 0 || (!capacity.inUse() && needed.isEmpty())) {
      return 0;
    }
    int slots = 0;
    for (Map.Entry<ResourceProfile, Integer> entry : missing.entrySet()) {
      slots += defaultSpec.total().fits(entry.getKey()) ? entry.getValue() : 0;
    }
    int unused = Math.max(0, needed.getOrDefault(defaultSpec, 0) * defaultSpec.slots() - slots);
    int missingSlots =
        Math.max(
            0, spares * defaultSpec.slots() - capacity.free() - capacity.reclaimable() - unused);
    return (missingSlots + defaultSpec.slots() - 1) / defaultSpec.slots();
  }

  /** A worker that is going to be taken away needs a spare in its place. */
  private int spares(RegisteredCapacity capacity) {
    return bounds.spares() + capacity.draining();
  }

  /** The number of default workers that are missing from the configured minimum. */
  private int missingForMinimum(WorkerTotals totals) {
    ResourceProfile each = defaultSpec.total();
    double bySlots = (bounds.minSlots() - totals.slots()) / (double) defaultSpec.slots();
    double byCpu = ratio(bounds.minCpu() - totals.total().cpuCores(), each.cpuCores());
    double byMemory =
        ratio((double) (bounds.minMemory() - totals.total().memory()), (double) each.memory());
    return (int) Math.max(0, Math.ceil(Math.max(bySlots, Math.max(byCpu, byMemory))));
  }

  private static double ratio(double missing, double each) {
    return missing <= 0 || each <= 0 ? 0 : missing / each;
  }
}
