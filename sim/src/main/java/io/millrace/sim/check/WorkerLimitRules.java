package io.millrace.sim.check;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.JobForgotten;
import io.millrace.protocol.journal.ResourceManagerEvent.RequirementsReceived;
import io.millrace.protocol.journal.ResourceManagerEvent.ResourceManagerStarted;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimProcess;
import io.millrace.sim.scenario.SimJob;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Invariants of the number of workers: upper bounds for running and requested ones. */
final class WorkerLimitRules {
  private WorkerLimitRules() {}

  /**
   * An acknowledged limit holds for all later leaders. A limit takes effect before it is
   * acknowledged, and one whose write failed may have been stored. A worker that an earlier leader
   * has released does not count while it ends: its driver does not list it to the next leader.
   */
  static final class WorkerLimitIsRespected extends Invariant {
    private OptionalInt limit = OptionalInt.empty();
    private long acknowledgedAt;
    private final List<Change> open = new ArrayList<>();

    /** The limit that the leading ResourceManager knows, and when it started. */
    private Optional<SimProcess> resourceManager = Optional.empty();

    private OptionalInt known = OptionalInt.empty();
    private long startedAt = Long.MAX_VALUE;

    /** The workers that earlier leaders have released. */
    private final Set<String> releasedBefore = new LinkedHashSet<>();

    private long next;

    /** A limit that was not acknowledged yet. */
    private static final class Change {
      private final Fact.Called called;
      private final int most;
      private boolean failed;

      Change(Fact.Called called, int most) {
        this.called = called;
        this.most = most;
      }

      boolean isAnsweredBy(Fact.Answered answer) {
        return called.to().equals(answer.by())
            && called.from().equals(answer.to())
            && called.call().correlation() == answer.call().correlation();
      }
    }

    WorkerLimitIsRespected() {
      super(
          "No worker is requested while the running and requested workers reach the limit, and"
              + " the leading ResourceManager knows the limit soon.");
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || limit.isEmpty()) {
        return;
      }
      next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
      if (open.isEmpty()
          && resourceManager.filter(leads -> leads.isAlive() && !leads.isFrozen()).isPresent()
          && world().nanos() - acknowledgedAt > WorkerRules.MOMENT.toNanos()
          && world().nanos() - WorkerRules.MOMENT.toNanos() > startedAt
          && limit.getAsInt() != known.orElse(world().driver().orElseThrow().offer().most())) {
        throw broken(
            limit.getAsInt()
                + " workers are allowed, and the ResourceManager knows the limit "
                + known);
      }
    }

    private void decided(ResourceManagerEvent event) {
      if (event instanceof ResourceManagerEvent.WorkersLimited limited) {
        known = OptionalInt.of(limited.most());
      } else if (event instanceof ResourceManagerStarted) {
        startedAt = world().nanos();
      }
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        resourceManager = Optional.of(granted.process());
        known = OptionalInt.empty();
        startedAt = Long.MAX_VALUE;
        releasedBefore.clear();
        world().driver().stream()
            .flatMap(driver -> driver.alive().stream())
            .filter(SimDriver.Started::isReleased)
            .forEach(worker -> releasedBefore.add(worker.name()));
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof ResourceManagerEvent event
          && resourceManager.equals(Optional.of(decided.process()))) {
        decided(event);
      }
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof LimitWorkers limited) {
        open.add(new Change(called, limited.most()));
      }
    }

    @Override
    protected void answered(Fact.Answered answered) {
      if (answered.call().message() instanceof LimitWorkers limited) {
        if (answered.answer() instanceof Envelope.Reply) {
          limit = OptionalInt.of(limited.most());
          acknowledgedAt = world().nanos();
          // This limit has replaced all that were stored before.
          open.removeIf(
              change ->
                  change.isAnsweredBy(answered) || change.failed || !change.called.to().isAlive());
        } else {
          open.forEach(change -> change.failed |= change.isAnsweredBy(answered));
        }
      }
    }

    @Override
    protected void workerRequested(Fact.WorkerRequested requested) {
      check(world().driver().orElseThrow());
    }

    private void check(SimDriver driver) {
      int most = limit.orElse(driver.offer().most());
      for (Change change : open) {
        most = Math.max(most, change.most);
      }
      int there = driver.requested();
      for (SimDriver.Started worker : driver.alive()) {
        if (!worker.isReleased() || !releasedBefore.contains(worker.name())) {
          there++;
        }
      }
      if (there > most) {
        throw broken(
            there + " workers run, are ending or are requested, and " + most + " are allowed");
      }
    }
  }

  /**
   * A worker of the default size holds a fixed number of slots; a larger worker is requested for
   * one slot. If a small slot occupies a larger worker, the slot for which that worker was
   * requested needs another one. A running job counts with the highest requirement that it has
   * declared, because it keeps surplus slots for a while. An ended job counts with the slots that
   * it held at its end, until the ResourceManager must know that they are free, and with its last
   * declaration, until the ResourceManager knows that the job has no requirements any more. What a
   * replaced JobMaster decides about its job does not count.
   *
   * <p>For each blocked worker another one may be requested, because its slots are not used, and
   * for each one that will be taken away. The same holds for a partitioned worker: the
   * ResourceManager does not know for a while whether it has granted a slot.
   */
  static final class NoMoreWorkersThanRequired extends Invariant {
    private final Map<JobId, Integer> declared = new LinkedHashMap<>();
    private final Map<JobId, Integer> lastDeclared = new LinkedHashMap<>();
    private final Map<JobId, EndedJobSlots> ended = new LinkedHashMap<>();

    /** The processes in which JobMasters have started last. */
    private final Map<JobId, SimProcess> leaders = new LinkedHashMap<>();

    private final Map<String, Long> blockedUntil = new LinkedHashMap<>();

    /**
     * The slots of a job at its end.
     *
     * @param required the requirement that the ResourceManager still has for it
     */
    private record EndedJobSlots(int slots, int required, long at) {
      EndedJobSlots withRequirement(int needed) {
        return new EndedJobSlots(slots, needed, at);
      }
    }

    NoMoreWorkersThanRequired() {
      super("Pending plus running workers never exceed what jobs require.");
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().job().isPresent()) {
        JobId job = decided.entry().job().get();
        if (decided.entry().event() instanceof JobMasterStarted) {
          leaders.put(job, decided.process());
        }
        if (decided.entry().event() instanceof JobMasterEvent event) {
          if (decided.process() == leaders.get(job)) {
            decided(job, event);
          }
        } else if (decided.entry().event() instanceof ResourceManagerEvent event) {
          heard(job, event);
        }
      }
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof Block block) {
        blockedUntil.merge(
            block.target(),
            world().nanos() + block.time().plus(WorkerRules.MOMENT).toNanos(),
            Math::max);
      }
    }

    @Override
    protected void drainingReported(Fact.DrainingReported draining) {
      blockedUntil.merge(
          draining.worker(),
          world().nanos() + draining.within().plus(WorkerRules.MOMENT).toNanos(),
          Math::max);
    }

    @Override
    protected void workerRequested(Fact.WorkerRequested requested) {
      check(world().driver().orElseThrow(), requested.spec());
    }

    private void decided(JobId job, JobMasterEvent event) {
      if (event instanceof SlotsDeclared needs) {
        declared.merge(job, needs.required(), Math::max);
        lastDeclared.put(job, needs.required());
      } else if (event instanceof JobMasterStarted) {
        ended.remove(job);
      } else if (event instanceof StatusChanged changed && changed.status().isTerminal()) {
        declared.remove(job);
        ended.put(
            job,
            new EndedJobSlots(slotsOf(job), lastDeclared.getOrDefault(job, 0), world().nanos()));
      }
    }

    /** A declaration that was in flight at the end of a job may still require slots. */
    private void heard(JobId job, ResourceManagerEvent event) {
      if (event instanceof RequirementsReceived needs) {
        ended.computeIfPresent(job, (id, had) -> had.withRequirement(needs.slots()));
      } else if (event instanceof JobForgotten) {
        ended.computeIfPresent(job, (id, had) -> had.withRequirement(0));
      }
    }

    private int slotsOf(JobId job) {
      int slots = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        slots += SlotRules.occupied(worker.slots().report()).getOrDefault(job, 0);
      }
      return slots;
    }

    /** A worker of another size does not serve the requirement, even if it is free. */
    private void check(SimDriver driver, WorkerSpec spec) {
      boolean defaultSize = spec.equals(driver.offer().spec());
      int slots = 0;
      for (Map.Entry<JobId, Integer> job : declared.entrySet()) {
        int needed = Math.min(job.getValue(), slots(job.getKey(), defaultSize));
        // Surplus slots of the job serve no other job until it returns them.
        slots += defaultSize ? Math.max(needed, inDefaultSize(job.getKey())) : needed;
      }
      Configuration configuration = world().scenario().configuration();
      long uncertainty =
          WorkerRules.known(world()).plus(configuration.get(RpcOptions.ASK_TIMEOUT)).toNanos();
      for (Map.Entry<JobId, EndedJobSlots> job : ended.entrySet()) {
        if (world().nanos() - job.getValue().at() < WorkerRules.known(world()).toNanos()
            || world().wasJobManagerPartitioned(world().nanos() - uncertainty)) {
          int had = Math.max(job.getValue().slots(), job.getValue().required());
          slots += Math.min(had, slots(job.getKey(), defaultSize));
        }
      }
      int required = defaultSize ? (slots + spec.slots() - 1) / spec.slots() : slots;
      int spares =
          defaultSize ? configuration.get(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM) : 0;
      long blocked =
          blockedUntil.values().stream().filter(until -> until > world().nanos()).count();
      int minimum = defaultSize ? world().scenario().leastWorkers() : 0;
      int cutOff = world().partitionedTaskManagers(world().nanos() - uncertainty);
      if (driver.wanted(spec) > Math.max(required + spares + blocked, minimum) + cutOff) {
        throw broken(
            driver.wanted(spec)
                + " workers with "
                + spec.total()
                + " run or are requested, jobs require "
                + required
                + " for "
                + slots
                + " slots, "
                + spares
                + " are kept as spares, "
                + blocked
                + " are blocked, "
                + cutOff
                + " are partitioned and the minimum is "
                + minimum);
      }
    }

    private int slots(JobId id, boolean defaultSize) {
      int slots = 0;
      for (SimJob job : world().scenario().jobs()) {
        if (job.id().equals(id)) {
          int beyond = job.slotsBeyond(world().scenario().shape().worker());
          slots = defaultSize ? job.slots() - beyond : beyond + misplaced(id, job.slots() - beyond);
        }
      }
      return slots;
    }

    /**
     * How many larger workers the job may use for slots that fit into a worker of the default size.
     * A slot as large as its worker may serve any request of the job, unless all other requests are
     * served elsewhere.
     *
     * @param small how many of its slots fit into a worker of the default size
     */
    private int misplaced(JobId job, int small) {
      ResourceProfile defaultWorker = world().scenario().shape().worker();
      int cut = 0;
      int whole = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        SlotReport report = worker.slots().report();
        if (!hasDefaultSize(report)) {
          int cutHere =
              (int)
                  report.carved().stream()
                      .filter(slot -> slot.occupant().job().equals(job))
                      .filter(slot -> defaultWorker.fits(slot.profile()))
                      .count();
          cut += cutHere;
          whole += SlotRules.occupied(report).getOrDefault(job, 0) - cutHere;
        }
      }
      return Math.min(small, cut + Math.max(0, Math.min(whole, small - inDefaultSize(job) - cut)));
    }

    /** How many slots the job has at workers of the default size. */
    private int inDefaultSize(JobId job) {
      int slots = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        SlotReport report = worker.slots().report();
        if (hasDefaultSize(report)) {
          slots += SlotRules.occupied(report).getOrDefault(job, 0);
        }
      }
      return slots;
    }

    private boolean hasDefaultSize(SlotReport report) {
      ResourceProfile defaultWorker = world().scenario().shape().worker();
      return report.slots().stream().allMatch(slot -> defaultWorker.fits(slot.profile()));
    }
  }
}
