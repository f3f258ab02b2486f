package io.millrace.sim.check;

import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartFailed;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimProcess;
import io.millrace.sim.scenario.ClientAction;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Invariants of workers that must run or be requested. */
final class WorkerMinimumRules {
  private WorkerMinimumRules() {}

  /** Whether workers are started on demand and no client action changes how many may be used. */
  static boolean isElastic(SimulatedWorld world) {
    return world.driver().isPresent()
        && world.scenario().acts().stream()
            .noneMatch(
                act -> act instanceof ClientAction.Limit || act instanceof ClientAction.Block);
  }

  /**
   * Applies until the first fault that the ResourceManager may not notice at once, and again when
   * it has been calm for so long that the ResourceManager knows all faults. Slots of declared sizes
   * do not count, because the number of them that fit into a worker depends on their sizes.
   *
   * <p>A failed start is repeated after a pause. The pause is longer after many failures and ends
   * when a worker has registered since.
   */
  static final class MissingWorkersAreRequested extends Invariant {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    /**
     * After this time of calm the ResourceManager knows all ends that a driver or a worker did not
     * report.
     */
    private static final long LONG = Duration.ofMinutes(3).toNanos();

    /** For messages and decisions in between. */
    private static final long SLACK = Duration.ofSeconds(1).toNanos();

    private final Map<JobId, Integer> required = new LinkedHashMap<>();
    private final Set<WorkerId> registered = new LinkedHashSet<>();
    private final Deque<Long> failures = new ArrayDeque<>();
    private long next;
    private OptionalLong lackingSince = OptionalLong.empty();

    /** When a registration has ended the pause after failed starts. */
    private long pauseEnded = Long.MIN_VALUE / 2;

    private long calmSince = Long.MAX_VALUE / 2;

    MissingWorkersAreRequested() {
      super(
          "While jobs lack workers and more are allowed, workers are requested: at once, and"
              + " after a failed start as soon as the pause is over.");
    }

    @Override
    protected void decided(Fact.Decided decided) {
      JournalEntry entry = decided.entry();
      if (entry.event() instanceof SlotsDeclared needs && counts(entry.job().orElseThrow())) {
        required.put(entry.job().get(), needs.required());
      } else if (entry.event() instanceof StatusChanged changed && changed.status().isTerminal()) {
        required.remove(entry.job().orElseThrow());
      } else if (entry.event() instanceof WorkerStartFailed) {
        failures.add(world().nanos());
      } else if (entry.event() instanceof SlotsReported
          && registered.add(entry.worker().orElseThrow())) {
        if (!failures.isEmpty()) {
          pauseEnded = world().nanos();
        }
        failures.clear();
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next) {
        return;
      }
      next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
      if (!applies()) {
        lackingSince = OptionalLong.empty();
        return;
      }
      SimDriver driver = world().driver().orElseThrow();
      int slots = driver.offer().spec().slots();
      int needed = required.values().stream().mapToInt(Integer::intValue).sum();
      // A released worker counts towards the limit until it has ended.
      int ending = (int) driver.alive().stream().filter(SimDriver.Started::isReleased).count();
      int workers = Math.min((needed + slots - 1) / slots, driver.offer().most() - ending);
      if (WorkerRules.wanted(driver) >= workers) {
        lackingSince = OptionalLong.empty();
        return;
      }
      lackingSince = OptionalLong.of(lackingSince.orElse(world().nanos()));
      if (world().nanos() - Math.max(lackingSince.getAsLong(), mayStart()) > SLACK) {
        throw broken(
            WorkerRules.wanted(driver)
                + " workers run or are requested, and "
                + workers
                + " are needed for "
                + needed
                + " slots, after "
                + failures.size()
                + " failed starts");
      }
    }

    private long mayStart() {
      while (!failures.isEmpty() && world().nanos() - failures.getFirst() > MINUTE + SLACK) {
        failures.removeFirst();
      }
      if (failures.isEmpty()) {
        return pauseEnded;
      }
      long retry =
          failures.getLast()
              + world()
                  .scenario()
                  .configuration()
                  .get(ResourceManagerOptions.START_WORKER_RETRY_INTERVAL)
                  .toNanos();
      boolean paused =
          failures.size()
              > world()
                  .scenario()
                  .configuration()
                  .get(ResourceManagerOptions.START_WORKER_MAX_FAILURE_RATE);
      return paused ? Math.max(retry, failures.getFirst() + MINUTE) : retry;
    }

    private boolean counts(JobId job) {
      return world().scenario().jobs().stream()
          .anyMatch(plan -> plan.id().equals(job) && !plan.declaresResources());
    }

    private boolean applies() {
      if (world().isCalm()) {
        calmSince = Math.min(calmSince, world().nanos());
      }
      return isElastic(world())
          && (world().nanos() - calmSince > LONG || world().nanos() < firstUnreportedFault());
    }

    /** The time of the first fault that a ResourceManager may not notice at once. */
    private long firstUnreportedFault() {
      return world().scenario().faults().stream()
          .filter(fault -> !isReported(fault))
          .mapToLong(fault -> fault.at().toNanos())
          .min()
          .orElse(Long.MAX_VALUE);
    }

    private static boolean isReported(Fault fault) {
      return fault instanceof Fault.ClockJump
          || fault instanceof Fault.DuplicateCalls
          || fault instanceof Fault.WorkerCrash
          || fault instanceof Fault.NodeLoss
          || (fault instanceof Fault.DriverFailure bad
              && bad.rates().endReportedLate() == 0
              && bad.rates().endNotReported() == 0);
    }
  }

  /**
   * A start has failed if the driver reports so, or if a worker that it started for this
   * ResourceManager ends before its registration. The end of a worker that the ResourceManager
   * releases before it processes the report is none: a frozen ResourceManager has both to do when
   * it continues. The registration of a worker ends the pause.
   */
  static final class FailedStartsDelayRequests extends Invariant {
    private Optional<SimProcess> resourceManager = Optional.empty();
    private final Set<String> started = new LinkedHashSet<>();
    private long failedAt = Long.MIN_VALUE / 2;

    /** The failure before that of a worker whose reported end is still in the mailbox. */
    private final Map<String, Long> failedBefore = new LinkedHashMap<>();

    FailedStartsDelayRequests() {
      super("After a failed start no worker is requested before the configured pause is over.");
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof ResourceManagerEvent event
          && resourceManager.equals(Optional.of(decided.process()))) {
        decided(decided.entry(), event);
      }
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        resourceManager = Optional.of(granted.process());
        started.clear();
        failedBefore.clear();
        failedAt = Long.MIN_VALUE / 2;
      }
    }

    @Override
    protected void workerEndReported(Fact.WorkerEndReported told) {
      if (started.remove(told.worker())) {
        failedBefore.put(told.worker(), failedAt);
        failedAt = world().nanos();
      }
    }

    @Override
    protected void workerRequested(Fact.WorkerRequested requested) {
      long pause =
          world()
              .scenario()
              .configuration()
              .get(ResourceManagerOptions.START_WORKER_RETRY_INTERVAL)
              .toNanos();
      if (world().nanos() - failedAt < pause) {
        throw broken(
            "A worker is requested "
                + (world().nanos() - failedAt) / 1_000_000
                + " ms after a failed start");
      }
    }

    private void decided(JournalEntry entry, ResourceManagerEvent event) {
      if (event instanceof ResourceManagerEvent.WorkerStarted) {
        started.add(name(entry));
      } else if (event instanceof ResourceManagerEvent.WorkerReleased) {
        started.remove(name(entry));
        Optional.ofNullable(failedBefore.remove(name(entry)))
            .ifPresent(before -> failedAt = before);
      } else if (event instanceof ResourceManagerEvent.WorkerEnded) {
        failedBefore.remove(name(entry));
      } else if (event instanceof WorkerStartFailed) {
        entry.worker().ifPresent(worker -> failedBefore.remove(worker.value()));
        failedAt = world().nanos();
      } else if (event instanceof SlotsReported && started.remove(name(entry))) {
        failedAt = Long.MIN_VALUE / 2;
      }
    }

    private static String name(JournalEntry entry) {
      return entry.worker().orElseThrow().value();
    }
  }

  /**
   * Checks the settled cluster. A worker that has ended without a report of its driver counts for
   * longer than that.
   */
  static final class MinimumAndSparesAreKept extends Invariant {
    private final Map<String, Long> usedSince = new LinkedHashMap<>();
    private final Set<String> reported = new LinkedHashSet<>();
    private long next;

    MinimumAndSparesAreKept() {
      super(
          "Within the limit of workers, the configured spares exist while any slot is in use,"
              + " and the configured minimum always.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        reported.clear();
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().worker().isPresent()) {
        String worker = decided.entry().worker().get().value();
        if (decided.entry().event() instanceof SlotsReported) {
          reported.add(worker);
        } else if (decided.entry().event() instanceof ResourceManagerEvent.TaskManagerLost) {
          reported.remove(worker);
        } else if (decided.entry().event() instanceof ResourceManagerEvent.WorkerReleased release
            && release.reason() instanceof WorkerIdle
            && applies()) {
          checkSparesRemain(worker);
        }
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() >= next && world().driver().isPresent()) {
        next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
        Set<String> used = new LinkedHashSet<>();
        for (SimulatedWorld.Worker worker : world().workers()) {
          if (occupied(worker) > 0) {
            used.add(worker.name());
            usedSince.putIfAbsent(worker.name(), world().nanos());
          }
        }
        usedSince.keySet().retainAll(used);
      }
    }

    private static int occupied(SimulatedWorld.Worker worker) {
      return SlotRules.occupied(worker.slots().report()).values().stream()
          .mapToInt(Integer::intValue)
          .sum();
    }

    /** Checks that the spares remain without a worker that is released as idle. */
    private void checkSparesRemain(String released) {
      int each = world().driver().orElseThrow().offer().spec().slots();
      int spares =
          each
              * world()
                  .scenario()
                  .configuration()
                  .get(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM);
      boolean inUse = false;
      int free = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        Long since = usedSince.get(worker.name());
        if (!worker.name().equals(released)) {
          free += each - occupied(worker);
          inUse |=
              since != null
                  && occupied(worker) > 0
                  && reported.contains(worker.name())
                  && world().nanos() - since > WorkerRules.known(world()).toNanos();
        }
      }
      if (inUse && free < spares) {
        throw broken(
            released
                + " is released, "
                + free
                + " slots are free without it, and "
                + spares
                + " must be spare");
      }
    }

    private boolean applies() {
      return isElastic(world())
          && world().scenario().faults().stream()
              .noneMatch(
                  fault ->
                      fault instanceof Fault.DriverFailure bad && bad.rates().endNotReported() > 0)
          && world().scenario().jobs().stream().noneMatch(SimJob::declaresResources);
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      if (!applies()) {
        return;
      }
      SimDriver driver = world().driver().orElseThrow();
      int each = driver.offer().spec().slots();
      int slots = 0;
      int free = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        slots += each;
        free += each - occupied(worker);
      }
      int coming = each * driver.requested();
      boolean more = WorkerRules.wanted(driver) < driver.offer().most();
      int spares =
          world().scenario().configuration().get(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM)
              * each;
      int least = world().scenario().configuration().get(ResourceManagerOptions.MIN_SLOT_NUM);
      if (more && free < slots && free + coming < spares) {
        throw broken(
            free
                + " slots are free and "
                + coming
                + " are requested, "
                + spares
                + " must be spare");
      }
      if (more && slots + coming < least) {
        throw broken(
            "There are "
                + slots
                + " slots and "
                + coming
                + " are requested, the minimum is "
                + least);
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      settled(report);
    }
  }
}
