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

/** What holds of workers that have to be there: too few are as wrong as too many. */
final class WorkerMinimumRules {
  private WorkerMinimumRules() {}

  /** Whether workers are started on demand and nobody changes how many of them may be used. */
  static boolean isElastic(SimulatedWorld world) {
    return world.driver().isPresent()
        && world.scenario().acts().stream()
            .noneMatch(
                act -> act instanceof ClientAction.Limit || act instanceof ClientAction.Block);
  }

  /**
   * Until the first fault of which the ResourceManager may not hear at once, and again when it has
   * been calm for so long that all is known. Slots of declared sizes do not count: how many of them
   * a worker has room for depends on which they are.
   *
   * <p>A start that failed is tried again after a pause, which is longer where many have failed and
   * not there at all once a worker has come since.
   */
  static final class MissingWorkersAreAskedFor extends Invariant {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    /** After this time of calm what a silent driver or a silent worker conceals is known. */
    private static final long LONG = Duration.ofMinutes(3).toNanos();

    /** For what is told and decided in the meantime. */
    private static final long SLACK = Duration.ofSeconds(1).toNanos();

    private final Map<JobId, Integer> required = new LinkedHashMap<>();
    private final Set<WorkerId> come = new LinkedHashSet<>();
    private final Deque<Long> failures = new ArrayDeque<>();
    private long next;
    private OptionalLong lackingSince = OptionalLong.empty();
    private long calmSince = Long.MAX_VALUE / 2;

    MissingWorkersAreAskedFor() {
      super(
          "As long as jobs lack workers and more are allowed, they are asked for: at once, after a"
              + " failed start as soon as it may be tried again.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Decided decided) {
        JournalEntry entry = decided.entry();
        if (entry.event() instanceof SlotsDeclared needs && counts(entry.job().orElseThrow())) {
          required.put(entry.job().get(), needs.required());
        } else if (entry.event() instanceof StatusChanged changed
            && changed.status().isTerminal()) {
          required.remove(entry.job().orElseThrow());
        } else if (entry.event() instanceof WorkerStartFailed) {
          failures.add(world().nanos());
        } else if (entry.event() instanceof SlotsReported
            && come.add(entry.worker().orElseThrow())) {
          failures.clear();
        }
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next) {
        return;
      }
      next = world().nanos() + WorkerRules.LOOKS.toNanos();
      if (!applies()) {
        lackingSince = OptionalLong.empty();
        return;
      }
      SimDriver driver = world().driver().orElseThrow();
      int slots = driver.offer().spec().slots();
      int needed = required.values().stream().mapToInt(Integer::intValue).sum();
      // One that was told to go takes the place of another until it is gone.
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
                + " workers are there or asked for, and "
                + workers
                + " needed for "
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
        return Long.MIN_VALUE / 2;
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
          && (world().nanos() - calmSince > LONG || world().nanos() < concealedFrom());
    }

    /** When the first fault happens of which a ResourceManager may not hear at once. */
    private long concealedFrom() {
      return world().scenario().faults().stream()
          .filter(fault -> !isTold(fault))
          .mapToLong(fault -> fault.at().toNanos())
          .min()
          .orElse(Long.MAX_VALUE);
    }

    private static boolean isTold(Fault fault) {
      return fault instanceof Fault.ClockJump
          || fault instanceof Fault.Echo
          || fault instanceof Fault.LoseStarted
          || fault instanceof Fault.LoseNode
          || (fault instanceof Fault.BadDriver bad
              && bad.mood().unnoticed() == 0
              && bad.mood().untold() == 0);
    }
  }

  /**
   * A start has failed where the driver says so, and where a worker that it had started for this
   * ResourceManager ends before it has registered. A worker that comes ends the pause.
   */
  static final class FailedStartsPause extends Invariant {
    private Optional<SimProcess> resourceManager = Optional.empty();
    private final Set<String> started = new LinkedHashSet<>();
    private long failedAt = Long.MIN_VALUE / 2;

    FailedStartsPause() {
      super("After a failed start no worker is asked for before the configured pause is over.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof ResourceManagerEvent event
          && resourceManager.equals(Optional.of(decided.process()))) {
        decided(decided.entry(), event);
      } else if (fact instanceof Fact.Granted granted
          && granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        resourceManager = Optional.of(granted.process());
        started.clear();
        failedAt = Long.MIN_VALUE / 2;
      } else if (fact instanceof Fact.WorkerEndTold told && started.remove(told.worker())) {
        failedAt = world().nanos();
      } else if (fact instanceof Fact.WorkerRequested) {
        long pause =
            world()
                .scenario()
                .configuration()
                .get(ResourceManagerOptions.START_WORKER_RETRY_INTERVAL)
                .toNanos();
        if (world().nanos() - failedAt < pause) {
          throw broken(
              "A worker is asked for "
                  + (world().nanos() - failedAt) / 1_000_000
                  + " ms after a failed start");
        }
      }
    }

    private void decided(JournalEntry entry, ResourceManagerEvent event) {
      if (event instanceof ResourceManagerEvent.WorkerStarted) {
        started.add(name(entry));
      } else if (event instanceof ResourceManagerEvent.WorkerReleased) {
        started.remove(name(entry));
      } else if (event instanceof WorkerStartFailed) {
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
   * Looks when all is settled. A worker that is gone without its driver saying so counts for longer
   * than that.
   */
  static final class EnoughWorkersAreKept extends Invariant {
    private final Map<String, Long> usedSince = new LinkedHashMap<>();
    private final Set<String> reported = new LinkedHashSet<>();
    private long next;

    EnoughWorkersAreKept() {
      super(
          "As far as more workers are allowed, there are the configured spares while any slot is in"
              + " use, and always the configured minimum.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted
          && granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        reported.clear();
      } else if (fact instanceof Fact.Decided decided && decided.entry().worker().isPresent()) {
        String worker = decided.entry().worker().get().value();
        if (decided.entry().event() instanceof SlotsReported) {
          reported.add(worker);
        } else if (decided.entry().event() instanceof ResourceManagerEvent.TaskManagerLost) {
          reported.remove(worker);
        } else if (decided.entry().event() instanceof ResourceManagerEvent.WorkerReleased release
            && release.reason() instanceof WorkerIdle
            && applies()) {
          checkRest(worker);
        }
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() >= next && world().driver().isPresent()) {
        next = world().nanos() + WorkerRules.LOOKS.toNanos();
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

    /** Whether the spares stay, without a worker that goes for want of use. */
    private void checkRest(String going) {
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
        if (!worker.name().equals(going)) {
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
            going
                + " is given back, "
                + free
                + " slots are free without it and "
                + spares
                + " are to be spare");
      }
    }

    private boolean applies() {
      return isElastic(world())
          && world().scenario().faults().stream()
              .noneMatch(fault -> fault instanceof Fault.BadDriver bad && bad.mood().untold() > 0)
          && world().scenario().jobs().stream().noneMatch(SimJob::declaresResources);
    }

    @Override
    protected void settled(SimulatedWorld.Story story) {
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
            free + " slots are free and " + coming + " asked for, " + spares + " are to be spare");
      }
      if (more && slots + coming < least) {
        throw broken(
            "There are " + slots + " slots and " + coming + " asked for, the least is " + least);
      }
    }

    @Override
    protected void over(SimulatedWorld.Story story) {
      settled(story);
    }
  }
}
