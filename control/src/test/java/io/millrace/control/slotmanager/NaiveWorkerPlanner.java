package io.millrace.control.slotmanager;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.slotmanager.SlotAction.DeclareWorkers;
import io.millrace.control.slotmanager.SlotAction.ReleaseWorker;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.WorkerReason.WorkerExceedsLimit;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Declares and releases workers for a {@link NaiveSlotManager}, counting them one by one. */
final class NaiveWorkerPlanner {
  private final SlotSettings settings;
  private final NaiveSlotState state;
  private final Map<InstanceId, Long> idleSince = new LinkedHashMap<>();
  private int maximum;
  private Map<WorkerSpec, Integer> declared = new TreeMap<>();

  /** The workers that missing slots need beside the registered ones. */
  private static final class Demand {
    final Map<WorkerSpec, Integer> needed = new TreeMap<>();
    final Map<WorkerSpec, Long> oldest = new TreeMap<>();

    /** Missing slots that fit the default spec. */
    int defaultSlots;

    List<WorkerSpec> oldestJobFirst() {
      return needed.keySet().stream()
          .sorted(
              Comparator.comparing((WorkerSpec spec) -> oldest.get(spec))
                  .thenComparing(Comparator.reverseOrder()))
          .toList();
    }
  }

  NaiveWorkerPlanner(SlotSettings settings, NaiveSlotState state) {
    this.settings = settings;
    this.state = state;
    this.maximum = settings.startable().map(Startable::most).orElse(0);
  }

  void limit(int workers) {
    maximum = workers;
  }

  /** Whether the worker has another spec than the default one. */
  boolean isCustom(WorkerId worker) {
    return settings
        .startable()
        .map(startable -> !startable.spec().equals(state.spec(worker)))
        .orElse(false);
  }

  Optional<WorkerSpec> customFor(ResourceProfile profile) {
    return settings
        .startable()
        .filter(startable -> !startable.spec().total().fits(profile))
        .flatMap(Startable::larger)
        .flatMap(larger -> larger.forSlot(profile));
  }

  /** Whether the driver can start a worker that fits the profile. */
  boolean canStartFor(ResourceProfile profile) {
    return settings
            .startable()
            .filter(startable -> startable.spec().total().fits(profile))
            .isPresent()
        || customFor(profile).isPresent();
  }

  /** Releases idle workers, removes their slots and declares the workers that are needed. */
  List<SlotAction> update(long now) {
    updateIdle(now);
    List<SlotAction> actions = new ArrayList<>();
    if (settings.startable().isEmpty()) {
      return actions;
    }
    List<WorkerId> remaining = new ArrayList<>(state.workers());
    releaseIdle(remaining, now, actions);
    displace(remaining, actions);
    Map<WorkerSpec, Integer> target = new TreeMap<>(additional(remaining));
    remaining.forEach(worker -> target.merge(state.spec(worker), 1, Integer::sum));
    if (!target.equals(declared)) {
      declared = target;
      actions.add(new DeclareWorkers(target));
    }
    return actions;
  }

  private void updateIdle(long now) {
    Map<InstanceId, Long> before = new LinkedHashMap<>(idleSince);
    idleSince.clear();
    for (WorkerId worker : state.workers()) {
      if (state.isUnused(worker)) {
        InstanceId instance = state.instance(worker);
        idleSince.put(instance, before.getOrDefault(instance, now));
      }
    }
  }

  private List<WorkerId> idleLongestFirst(List<WorkerId> workers) {
    return workers.stream()
        .filter(worker -> idleSince.containsKey(state.instance(worker)))
        .sorted(
            Comparator.comparingLong((WorkerId worker) -> idleSince.get(state.instance(worker)))
                .thenComparing(worker -> worker))
        .toList();
  }

  private void releaseIdle(List<WorkerId> remaining, long now, List<SlotAction> actions) {
    for (WorkerId worker : idleLongestFirst(remaining)) {
      InstanceId instance = state.instance(worker);
      if (idleSince.get(instance) + settings.bounds().idle().toNanos() <= now) {
        List<WorkerId> others = remaining.stream().filter(other -> !other.equals(worker)).toList();
        boolean isSpare =
            !isCustom(worker)
                && isInUse(remaining)
                && freeDefaultSlots(others) < settings.bounds().spares() * defaultSpec().slots();
        if (!isBelowMinimum(others, new TreeMap<>()) && !isSpare) {
          actions.add(
              new ReleaseWorker(worker, instance, new WorkerIdle(settings.bounds().idle())));
          remaining.remove(worker);
        }
      }
    }
    state.removeWhere(slot -> !remaining.contains(slot.worker));
  }

  /** Releases idle workers that fit no missing slot, if a limit otherwise forbids needed ones. */
  private void displace(List<WorkerId> remaining, List<SlotAction> actions) {
    List<ResourceProfile> missing = state.missingProfiles();
    List<WorkerId> candidates =
        idleLongestFirst(remaining).stream()
            .filter(
                worker ->
                    state.blocked.contains(worker)
                        || missing.stream()
                            .noneMatch(profile -> state.totals.get(worker).fits(profile)))
            .toList();
    Map<WorkerSpec, Integer> added = new TreeMap<>();
    Demand demand = demand();
    for (WorkerSpec spec : demand.oldestJobFirst()) {
      for (int i = 0; i < demand.needed.get(spec); i++) {
        List<WorkerId> kept = new ArrayList<>(remaining);
        Map<WorkerSpec, Integer> withOne = new TreeMap<>(added);
        withOne.merge(spec, 1, Integer::sum);
        for (WorkerId worker : candidates) {
          if (isAboveMaximum(kept, withOne)) {
            kept.remove(worker);
          }
        }
        boolean allowed = !isAboveMaximum(kept, withOne);
        boolean keepsMinimum =
            kept.size() == remaining.size()
                || missingForMinimum(kept, withOne) <= missingForMinimum(remaining, added);
        if (allowed && keepsMinimum) {
          for (WorkerId worker : remaining) {
            if (!kept.contains(worker)) {
              actions.add(
                  new ReleaseWorker(worker, state.instance(worker), new WorkerExceedsLimit()));
            }
          }
          remaining.retainAll(kept);
          added = withOne;
        }
      }
    }
    state.removeWhere(slot -> !remaining.contains(slot.worker));
  }

  private int missingForMinimum(List<WorkerId> workers, Map<WorkerSpec, Integer> additional) {
    Map<WorkerSpec, Integer> total = new TreeMap<>(additional);
    int missing = 0;
    for (; isBelowMinimum(workers, total); missing++) {
      total.merge(defaultSpec(), 1, Integer::sum);
    }
    return missing;
  }

  private Demand demand() {
    WorkerSpec defaultSpec = defaultSpec();
    Demand demand = new Demand();
    ResourceProfile free = ResourceProfile.UNSPECIFIED;
    int freeSlots = 0;
    for (ResourceProfile profile : state.missingProfiles()) {
      boolean unspecified = profile.isUnspecified();
      ResourceProfile size = unspecified ? defaultSpec.slot() : profile;
      long oldest =
          state.jobs.stream()
              .filter(job -> state.missing(job, profile) > 0)
              .mapToLong(job -> job.order)
              .min()
              .orElse(0);
      if (!defaultSpec.total().fits(size)) {
        customFor(profile)
            .ifPresent(
                spec -> {
                  demand.needed.merge(spec, 1, Integer::sum);
                  demand.oldest.merge(spec, oldest, Math::min);
                });
        continue;
      }
      demand.defaultSlots++;
      demand.oldest.merge(defaultSpec, oldest, Math::min);
      if (!demand.needed.containsKey(defaultSpec)
          || !free.fits(size)
          || (unspecified && freeSlots == 0)) {
        demand.needed.merge(defaultSpec, 1, Integer::sum);
        free = defaultSpec.total();
        freeSlots = defaultSpec.slots();
      }
      free = free.minus(size);
      freeSlots -= unspecified ? 1 : 0;
    }
    return demand;
  }

  private Map<WorkerSpec, Integer> additional(List<WorkerId> workers) {
    WorkerSpec defaultSpec = defaultSpec();
    Demand demand = demand();
    Map<WorkerSpec, Integer> additional = new TreeMap<>();
    demand
        .oldestJobFirst()
        .forEach(spec -> add(workers, additional, spec, demand.needed.get(spec)));
    if (isInUse(workers) || !demand.needed.isEmpty()) {
      int started = demand.needed.getOrDefault(defaultSpec, 0) * defaultSpec.slots();
      int free = freeDefaultSlotsAfterReturns(workers) + Math.max(0, started - demand.defaultSlots);
      for (; free < settings.bounds().spares() * defaultSpec.slots(); free += defaultSpec.slots()) {
        add(workers, additional, defaultSpec, 1);
      }
    }
    while (isBelowMinimum(workers, additional) && add(workers, additional, defaultSpec, 1)) {
      // until the minimum or a limit is reached
    }
    return additional;
  }

  /** Adds workers one by one within the limits; returns whether all were added. */
  private boolean add(
      List<WorkerId> workers, Map<WorkerSpec, Integer> additional, WorkerSpec spec, int count) {
    for (int i = 0; i < count; i++) {
      Map<WorkerSpec, Integer> withOne = new TreeMap<>(additional);
      withOne.merge(spec, 1, Integer::sum);
      if (isAboveMaximum(workers, withOne)) {
        return false;
      }
      additional.merge(spec, 1, Integer::sum);
    }
    return true;
  }

  private boolean isBelowMinimum(List<WorkerId> workers, Map<WorkerSpec, Integer> additional) {
    ResourceProfile total = total(workers, additional);
    return slots(workers, additional) < settings.bounds().minSlots()
        || total.cpuCores() < settings.bounds().minCpu()
        || total.memory() < settings.bounds().minMemory();
  }

  private boolean isAboveMaximum(List<WorkerId> workers, Map<WorkerSpec, Integer> additional) {
    ResourceProfile total = total(workers, additional);
    return workers.size() + additional.values().stream().mapToInt(i -> i).sum() > maximum
        || slots(workers, additional) > settings.bounds().maxSlots()
        || total.cpuCores() > settings.bounds().maxCpu()
        || total.memory() > settings.bounds().maxMemory();
  }

  private ResourceProfile total(List<WorkerId> workers, Map<WorkerSpec, Integer> additional) {
    ResourceProfile total = ResourceProfile.UNSPECIFIED;
    for (Map.Entry<WorkerSpec, Integer> entry : additional.entrySet()) {
      total = total.plus(entry.getKey().total().times(entry.getValue()));
    }
    for (WorkerId worker : workers) {
      total = total.plus(state.totals.get(worker));
    }
    return total;
  }

  private int slots(List<WorkerId> workers, Map<WorkerSpec, Integer> additional) {
    return workers.stream().mapToInt(worker -> state.indexed(worker).size()).sum()
        + additional.entrySet().stream()
            .mapToInt(entry -> entry.getKey().slots() * entry.getValue())
            .sum();
  }

  private boolean isInUse(List<WorkerId> workers) {
    return workers.stream().anyMatch(worker -> !state.isUnused(worker));
  }

  private int freeDefaultSlots(List<WorkerId> workers) {
    return workers.stream().filter(this::isOpenDefault).mapToInt(state::freeSlots).sum();
  }

  private int freeDefaultSlotsAfterReturns(List<WorkerId> workers) {
    return workers.stream()
        .filter(this::isOpenDefault)
        .mapToInt(state::freeSlotsAfterReturns)
        .sum();
  }

  private boolean isOpenDefault(WorkerId worker) {
    return !state.blocked.contains(worker) && !isCustom(worker);
  }

  private WorkerSpec defaultSpec() {
    return settings.startable().orElseThrow().spec();
  }
}
