package io.millrace.control.slotmanager;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.control.slotmanager.SlotEvent.SupplyStatus;
import io.millrace.control.slotmanager.WorkerPlanner.RegisteredCapacity;
import io.millrace.core.ResourceProfile;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Computes the number of workers to declare and the idle workers to release, for a cluster whose
 * driver starts workers. In a standalone cluster it declares and releases none.
 */
final class WorkerDemand {
  private SlotSettings settings;
  private Optional<WorkerPlanner> planner = Optional.empty();
  private OptionalInt limit = OptionalInt.empty();
  private final TreeSet<RegisteredWorker> idle =
      new TreeSet<>(
          Comparator.comparingLong((RegisteredWorker worker) -> worker.idleSince)
              .thenComparing(worker -> worker.id));
  private Map<WorkerSpec, Integer> declared = new TreeMap<>();
  private Map<WorkerSpec, Integer> needed = new TreeMap<>();
  private WorkerTotals registered = WorkerTotals.NONE;
  private SupplyStatus status = new SupplyStatus(new TreeMap<>(), List.of());
  private long checkedAt;

  /**
   * The numbers of workers in the reasons of shortages.
   *
   * @param needed the workers that all jobs need beside the registered ones
   * @param limits empty for a standalone cluster
   */
  record DemandStatus(
      Map<WorkerSpec, Integer> needed, Optional<ResourceLimits> limits, SupplyStatus status) {}

  WorkerDemand(SlotSettings settings) {
    configure(settings);
  }

  /** Replaces the settings. The default spec may change only while no worker is registered. */
  final void configure(SlotSettings changed) {
    settings = changed;
    planner = changed.startable().map(this::limited).map(this::planner);
  }

  private Startable limited(Startable startable) {
    return new Startable(
        startable.spec(), limit.orElse(startable.most()), startable.limit(), startable.larger());
  }

  private WorkerPlanner planner(Startable startable) {
    return new WorkerPlanner(settings.bounds(), startable);
  }

  /** Whether the driver starts workers. */
  boolean isActive() {
    return planner.isPresent();
  }

  /** Whether the driver can start a worker that fits the profile. */
  boolean canStartFor(ResourceProfile needed) {
    return planner.flatMap(active -> active.workerFor(needed)).isPresent();
  }

  /** The total of the custom worker for the profile; empty if the default spec fits it. */
  Optional<ResourceProfile> customFor(ResourceProfile needed) {
    return planner.flatMap(active -> active.customFor(needed)).map(WorkerSpec::total);
  }

  /** Whether the spec is the default one; true for all specs in a standalone cluster. */
  boolean isDefault(WorkerSpec spec) {
    return settings.startable().map(startable -> startable.spec().equals(spec)).orElse(true);
  }

  /** Why the driver cannot start a worker for the profile; empty for a standalone cluster. */
  Optional<SlotReason> refusal(ResourceProfile needed) {
    return planner.map(active -> active.refusal(needed));
  }

  /** Overrides the maximum number of workers, also of later settings. */
  void limit(int most) {
    limit = OptionalInt.of(most);
    configure(settings);
  }

  void status(SupplyStatus changed) {
    status = changed;
  }

  /** Updates the idle workers after a registration or a change of slots. */
  void usageChanged(RegisteredWorker worker, long now) {
    boolean wasIdle = idle.contains(worker);
    boolean isIdle = worker.isUnused() && !worker.holdsData;
    if (wasIdle && !isIdle) {
      idle.remove(worker);
    } else if (!wasIdle && isIdle) {
      worker.idleSince = now;
      idle.add(worker);
    }
  }

  void dataChanged(RegisteredWorker worker, boolean holdsData, long now) {
    worker.holdsData = holdsData;
    usageChanged(worker, now);
  }

  void removed(RegisteredWorker worker) {
    idle.remove(worker);
  }

  /** Workers whose idle timeout is over and that are neither spares nor part of the minimum. */
  List<RegisteredWorker> idleTooLong(RegisteredCapacity capacity, long now) {
    checkedAt = now;
    List<RegisteredWorker> idleTooLong = new ArrayList<>();
    if (planner.isPresent()) {
      RegisteredCapacity remaining = capacity;
      for (RegisteredWorker worker : idle) {
        if (releaseAt(worker) > now) {
          break;
        }
        if (!planner.get().mustKeep(remaining, worker)) {
          idleTooLong.add(worker);
          remaining = remaining.without(worker);
        }
      }
    }
    return idleTooLong;
  }

  /** Idle workers to release because limits do not allow needed workers beside them. */
  List<RegisteredWorker> toDisplace(RegisteredCapacity capacity, MissingSlots missing) {
    if (planner.isEmpty() || idle.isEmpty() || missing.counts().isEmpty()) {
      return new ArrayList<>();
    }
    return planner
        .get()
        .toDisplace(capacity, idle, planner.get().needed(missing.counts()), missing);
  }

  /**
   * Computes the number of workers of each spec to declare; empty if it has not changed.
   *
   * @param workers the number of registered workers by spec
   */
  Optional<Map<WorkerSpec, Integer>> declare(
      RegisteredCapacity capacity, Map<WorkerSpec, Integer> workers, MissingSlots missing) {
    if (planner.isEmpty()) {
      return Optional.empty();
    }
    planner.get().retainCustomSpecs(missing.counts());
    registered = capacity.totals();
    needed = planner.get().needed(missing.counts());
    Map<WorkerSpec, Integer> before = declared;
    Map<WorkerSpec, Integer> target = new TreeMap<>(workers);
    planner
        .get()
        .additional(capacity, needed, missing)
        .forEach((spec, count) -> target.merge(spec, count, Integer::sum));
    declared = target;
    return target.equals(before) ? Optional.empty() : Optional.of(target);
  }

  DemandStatus demandStatus() {
    return new DemandStatus(needed, planner.map(WorkerPlanner::limits), status);
  }

  /** What can end the shortage of the job, or what a user can do about it. */
  List<Reason> outlook(JobRequirements job) {
    if (planner.isEmpty()) {
      return List.of(settings.advice());
    }
    Map<WorkerSpec, Integer> own = planner.get().needed(job.missing());
    List<Reason> reasons = new ArrayList<>();
    // Besides the limit, starts that fail can delay the workers that it allows.
    LimitReasons.find(planner.get().limits(), registered, own, needed).ifPresent(reasons::add);
    own.keySet()
        .forEach(spec -> Optional.ofNullable(status.requested().get(spec)).ifPresent(reasons::add));
    reasons.addAll(status.other());
    return reasons.isEmpty() ? List.of(settings.advice()) : reasons;
  }

  /** How long an idle worker is kept. */
  Duration idleTimeout() {
    return settings.bounds().idle();
  }

  /** The time of the next idle timeout; {@code Long.MAX_VALUE} if there is none. */
  long nextWake() {
    if (planner.isPresent()) {
      for (RegisteredWorker worker : idle) {
        if (releaseAt(worker) > checkedAt) {
          return releaseAt(worker);
        }
      }
    }
    return Long.MAX_VALUE;
  }

  private long releaseAt(RegisteredWorker worker) {
    return worker.idleSince + settings.bounds().idle().toNanos();
  }
}
