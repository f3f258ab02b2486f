package io.millrace.control.slotmanager;

import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.control.slotmanager.SlotEvent.SupplyStatus;
import io.millrace.control.slotmanager.WorkerPlanner.Stock;
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
 * Whether there are enough workers or too many, where they are started on demand: what is wanted of
 * the driver, and which of those that nobody uses may go. Where workers come by themselves nothing
 * is wanted and nobody has to go.
 */
final class WorkerDemand {
  private SlotSettings settings;
  private Optional<WorkerPlanner> planner = Optional.empty();
  private OptionalInt limit = OptionalInt.empty();
  private final TreeSet<RegisteredWorker> idle =
      new TreeSet<>(
          Comparator.comparingLong((RegisteredWorker worker) -> worker.idleSince)
              .thenComparing(worker -> worker.id));
  private Map<WorkerSpec, Integer> wanted = new TreeMap<>();
  private Map<WorkerSpec, Integer> needed = new TreeMap<>();
  private WorkerTotals registered = WorkerTotals.NOBODY;
  private SupplyStatus status = new SupplyStatus(new TreeMap<>(), List.of());
  private long lookedAt;

  /**
   * What jobs are told of beside the numbers of slots; where it changes, they are told anew.
   *
   * @param needed what all jobs together take of workers that are not there
   * @param limits nothing where workers come by themselves
   */
  record Circumstances(
      Map<WorkerSpec, Integer> needed, Optional<ResourceLimits> limits, SupplyStatus status) {}

  WorkerDemand(SlotSettings settings) {
    supplied(settings);
  }

  /** No worker must have registered when sizes change: which of them are usual depends on it. */
  final void supplied(SlotSettings known) {
    settings = known;
    planner = known.startable().map(this::limited).map(this::planner);
  }

  private Startable limited(Startable known) {
    return new Startable(known.spec(), limit.orElse(known.most()), known.limit(), known.larger());
  }

  private WorkerPlanner planner(Startable startable) {
    return new WorkerPlanner(settings.bounds(), startable);
  }

  boolean isActive() {
    return planner.isPresent();
  }

  /** Whether a worker that could be started has room for the need. */
  boolean fits(ResourceProfile needed) {
    return planner.flatMap(known -> known.workerFor(needed)).isPresent();
  }

  /** What the worker has that is started for just such a slot; nothing where a usual one does. */
  Optional<ResourceProfile> madeFor(ResourceProfile needed) {
    return planner.flatMap(known -> known.madeFor(needed)).map(WorkerSpec::total);
  }

  /** Whether the worker is of the size that is started by default; all are where there is none. */
  boolean isUsual(WorkerSpec spec) {
    return settings.startable().map(startable -> startable.spec().equals(spec)).orElse(true);
  }

  /** Why no worker that could be started has room; nothing where workers come by themselves. */
  Optional<SlotReason> refusal(ResourceProfile needed) {
    return planner.map(known -> known.refusal(needed));
  }

  /** Holds also for what is known later of the workers that can be had. */
  void limit(int most) {
    limit = OptionalInt.of(most);
    supplied(settings);
  }

  void status(SupplyStatus now) {
    status = now;
  }

  /** The worker's use has changed, or it has come. */
  void used(RegisteredWorker worker, long now) {
    boolean wasIdle = idle.contains(worker);
    boolean isIdle = worker.isUnused() && !worker.holdsData;
    if (wasIdle && !isIdle) {
      idle.remove(worker);
    } else if (!wasIdle && isIdle) {
      worker.idleSince = now;
      idle.add(worker);
    }
  }

  /** The worker has data that somebody may need, or no longer. */
  void data(RegisteredWorker worker, boolean held, long now) {
    worker.holdsData = held;
    used(worker, now);
  }

  void left(RegisteredWorker worker) {
    idle.remove(worker);
  }

  /** Workers that have been idle for long enough and are kept for nothing else. */
  List<RegisteredWorker> dispensable(Stock stock, long now) {
    lookedAt = now;
    List<RegisteredWorker> dispensable = new ArrayList<>();
    if (planner.isPresent()) {
      Stock rest = stock;
      for (RegisteredWorker worker : idle) {
        if (goesAt(worker) > now) {
          break;
        }
        if (!planner.get().keeps(rest, worker)) {
          dispensable.add(worker);
          rest = rest.without(worker);
        }
      }
    }
    return dispensable;
  }

  /** Idle workers that keep others from coming which jobs wait for. */
  List<RegisteredWorker> inTheWay(Stock stock, MissingSlots missing) {
    if (planner.isEmpty() || idle.isEmpty() || missing.counts().isEmpty()) {
      return new ArrayList<>();
    }
    return planner.get().inTheWay(stock, idle, planner.get().needed(missing.counts()), missing);
  }

  /**
   * Decides how many workers of each spec there should be; an answer where that is not what it was
   * before.
   *
   * @param come how many are registered
   */
  Optional<Map<WorkerSpec, Integer>> wanted(
      Stock stock, Map<WorkerSpec, Integer> come, MissingSlots missing) {
    if (planner.isEmpty()) {
      return Optional.empty();
    }
    planner.get().forgetAllBut(missing.counts());
    registered = stock.there();
    needed = planner.get().needed(missing.counts());
    Map<WorkerSpec, Integer> before = wanted;
    Map<WorkerSpec, Integer> now = new TreeMap<>(come);
    planner
        .get()
        .more(stock, needed, missing)
        .forEach((spec, count) -> now.merge(spec, count, Integer::sum));
    wanted = now;
    return now.equals(before) ? Optional.empty() : Optional.of(now);
  }

  Circumstances circumstances() {
    return new Circumstances(needed, planner.map(WorkerPlanner::limits), status);
  }

  /** What may end the job's shortage, or what a person can do about it. */
  List<Reason> outlook(JobRequirements job) {
    if (planner.isEmpty()) {
      return List.of(settings.advice());
    }
    Map<WorkerSpec, Integer> own = planner.get().needed(job.missing());
    List<Reason> reasons = new ArrayList<>();
    // A limit is not all that may be in the way: those it allows may not start.
    LimitReasons.find(planner.get().limits(), registered, own, needed).ifPresent(reasons::add);
    own.keySet()
        .forEach(spec -> Optional.ofNullable(status.asked().get(spec)).ifPresent(reasons::add));
    reasons.addAll(status.other());
    return reasons.isEmpty() ? List.of(settings.advice()) : reasons;
  }

  /** How long a worker that no job uses is kept. */
  Duration idleTimeout() {
    return settings.bounds().idle();
  }

  /** When the next worker has been idle for long enough. */
  long nextWake() {
    if (planner.isPresent()) {
      for (RegisteredWorker worker : idle) {
        if (goesAt(worker) > lookedAt) {
          return goesAt(worker);
        }
      }
    }
    return Long.MAX_VALUE;
  }

  private long goesAt(RegisteredWorker worker) {
    return worker.idleSince + settings.bounds().idle().toNanos();
  }
}
