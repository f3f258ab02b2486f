package io.millrace.sim.check;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.JobForgotten;
import io.millrace.protocol.journal.ResourceManagerEvent.RequirementsReceived;
import io.millrace.protocol.journal.ResourceManagerEvent.ResourceManagerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.protocol.reason.JobReason.TaskNotEnded;
import io.millrace.protocol.reason.PeerReason.CountedOut;
import io.millrace.protocol.reason.PeerReason.RegistrationRejected;
import io.millrace.protocol.reason.PeerReason.ResourceManagerNotFound;
import io.millrace.protocol.reason.PeerReason.WorkerUnknown;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonException;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTokens;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.scenario.SimJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** What holds of workers that are started on demand. */
final class WorkerRules {
  /** How often those look who need not know at once. */
  static final Duration LOOKS = Duration.ofMillis(500);

  /** For messages to arrive and processes to end. */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private WorkerRules() {}

  /** After this time what a worker has is known, also where a notice was lost. */
  static Duration known(SimulatedWorld world) {
    return world
        .scenario()
        .configuration()
        .get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL)
        .plus(MOMENT);
  }

  /** Workers that are there or on their way, without those that were told to go. */
  static int wanted(SimDriver driver) {
    return driver.requested()
        + (int) driver.alive().stream().filter(worker -> !worker.isReleased()).count();
  }

  /**
   * A limit that was acknowledged holds for whoever leads. What one leads to comes before its
   * answer, and one whose storing failed may have been stored.
   */
  static final class WithinLimits extends Invariant {
    private OptionalInt limit = OptionalInt.empty();
    private long acknowledgedAt;
    private final List<Change> open = new ArrayList<>();

    /** What the ResourceManager that leads knows, and since when it leads. */
    private Optional<SimProcess> resourceManager = Optional.empty();

    private OptionalInt known = OptionalInt.empty();
    private long startedAt = Long.MAX_VALUE;
    private long next;

    /** A limit that may hold or not. */
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

    WithinLimits() {
      super(
          "No worker is asked for while there are, with those under way, as many as allowed; how"
              + " many that are the ResourceManager that leads knows soon.");
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || limit.isEmpty()) {
        return;
      }
      next = world().nanos() + LOOKS.toNanos();
      if (open.isEmpty()
          && resourceManager.filter(leads -> leads.isAlive() && !leads.isFrozen()).isPresent()
          && world().nanos() - acknowledgedAt > MOMENT.toNanos()
          && world().nanos() - MOMENT.toNanos() > startedAt
          && limit.getAsInt() != known.orElse(world().driver().orElseThrow().offer().most())) {
        throw broken(
            limit.getAsInt() + " workers are allowed, and the ResourceManager knows of " + known);
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
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted
          && granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        resourceManager = Optional.of(granted.process());
        known = OptionalInt.empty();
        startedAt = Long.MAX_VALUE;
      } else if (fact instanceof Fact.Decided decided
          && resourceManager.equals(Optional.of(decided.process()))
          && decided.entry().event() instanceof ResourceManagerEvent event) {
        decided(event);
      }
      if (fact instanceof Fact.Called called
          && called.call().message() instanceof LimitWorkers limited) {
        open.add(new Change(called, limited.most()));
      } else if (fact instanceof Fact.Answered answered
          && answered.call().message() instanceof LimitWorkers limited) {
        if (answered.answer() instanceof Envelope.Reply) {
          limit = OptionalInt.of(limited.most());
          acknowledgedAt = world().nanos();
          // All that was stored before has been replaced.
          open.removeIf(
              change ->
                  change.isAnsweredBy(answered) || change.failed || !change.called.to().isAlive());
        } else {
          open.forEach(change -> change.failed |= change.isAnsweredBy(answered));
        }
      } else if (fact instanceof Fact.WorkerRequested) {
        check(world().driver().orElseThrow());
      }
    }

    private void check(SimDriver driver) {
      int most = limit.orElse(driver.offer().most());
      for (Change change : open) {
        most = Math.max(most, change.most);
      }
      int there = driver.requested() + driver.alive().size();
      if (there > most) {
        throw broken(
            there
                + " workers are there, those that end included, or asked for, and "
                + most
                + " allowed");
      }
    }
  }

  /**
   * A usual worker has room for as many slots as it has, of whatever size they are; one that is
   * larger is made for one slot. Where a slot that a usual worker has room for lies in a larger
   * one, the slot that this one was made for needs another. What counts of a job is the most that
   * it has declared, because it keeps slots for a while which it does not need any more. Of one
   * that has ended only those count which it had then, until it must be known that they are free,
   * and what it had declared last, as long as the ResourceManager has not heard that it needs
   * nothing any more.
   *
   * <p>The slots of a worker that is blocked help nobody, so that for each another one may come. So
   * it is with one that cannot be reached: whether it has given a slot is not known for a while.
   */
  static final class NotMoreThanRequired extends Invariant {
    private final Map<JobId, Integer> declared = new LinkedHashMap<>();
    private final Map<JobId, Integer> lastDeclared = new LinkedHashMap<>();
    private final Map<JobId, Had> ended = new LinkedHashMap<>();
    private final Map<String, Long> blockedUntil = new LinkedHashMap<>();

    /**
     * What a job had at its end.
     *
     * @param unheard what the ResourceManager believes that it needs
     */
    private record Had(int slots, int unheard, long at) {
      Had heard(int needed) {
        return new Had(slots, needed, at);
      }
    }

    NotMoreThanRequired() {
      super("Pending plus running workers never exceed what jobs require.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Decided decided
          && decided.entry().job().isPresent()
          && decided.entry().event() instanceof JobMasterEvent event) {
        decided(decided.entry().job().get(), event);
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().job().isPresent()
          && decided.entry().event() instanceof ResourceManagerEvent event) {
        heard(decided.entry().job().get(), event);
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof Block block) {
        blockedUntil.merge(
            block.target(), world().nanos() + block.time().plus(MOMENT).toNanos(), Math::max);
      } else if (fact instanceof Fact.WorkerRequested requested) {
        check(world().driver().orElseThrow(), requested.spec());
      }
    }

    private void decided(JobId job, JobMasterEvent event) {
      if (event instanceof SlotsDeclared needs) {
        declared.merge(job, needs.required(), Math::max);
        lastDeclared.put(job, needs.required());
      } else if (event instanceof JobMasterStarted) {
        ended.remove(job);
      } else if (event instanceof StatusChanged changed && changed.status().isTerminal()) {
        declared.remove(job);
        ended.put(job, new Had(slotsOf(job), lastDeclared.getOrDefault(job, 0), world().nanos()));
      }
    }

    /** A declaration that was under way at the job's end may still say that it needs slots. */
    private void heard(JobId job, ResourceManagerEvent event) {
      if (event instanceof RequirementsReceived needs) {
        ended.computeIfPresent(job, (id, had) -> had.heard(needs.slots()));
      } else if (event instanceof JobForgotten) {
        ended.computeIfPresent(job, (id, had) -> had.heard(0));
      }
    }

    private int slotsOf(JobId job) {
      int slots = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        slots += SlotRules.occupied(worker.slots().report()).getOrDefault(job, 0);
      }
      return slots;
    }

    /** One of another size does not help, even where nobody uses it. */
    private void check(SimDriver driver, WorkerSpec spec) {
      boolean usual = spec.equals(driver.offer().spec());
      int slots = 0;
      for (Map.Entry<JobId, Integer> job : declared.entrySet()) {
        int needed = Math.min(job.getValue(), slots(job.getKey(), usual));
        // Those that it got beyond its needs are nobody else's until it returns them.
        slots += usual ? Math.max(needed, inUsual(job.getKey())) : needed;
      }
      Configuration configuration = world().scenario().configuration();
      long doubt = known(world()).plus(configuration.get(RpcOptions.ASK_TIMEOUT)).toNanos();
      for (Map.Entry<JobId, Had> job : ended.entrySet()) {
        if (world().nanos() - job.getValue().at() < known(world()).toNanos()
            || world().isJobManagerCutOff(world().nanos() - doubt)) {
          int had = Math.max(job.getValue().slots(), job.getValue().unheard());
          slots += Math.min(had, slots(job.getKey(), usual));
        }
      }
      int required = usual ? (slots + spec.slots() - 1) / spec.slots() : slots;
      int spares = usual ? configuration.get(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM) : 0;
      long blocked =
          blockedUntil.values().stream().filter(until -> until > world().nanos()).count();
      int minimum = usual ? world().scenario().leastWorkers() : 0;
      int cutOff = world().cutOff(world().nanos() - doubt);
      if (driver.wanted(spec) > Math.max(required + spares + blocked, minimum) + cutOff) {
        throw broken(
            driver.wanted(spec)
                + " workers with "
                + spec.total()
                + " are there or asked for, jobs require "
                + required
                + " for "
                + slots
                + " slots, "
                + spares
                + " are kept as spares, "
                + blocked
                + " are blocked, "
                + cutOff
                + " cannot be reached and at least "
                + minimum
                + " are wanted");
      }
    }

    private int slots(JobId id, boolean usual) {
      int slots = 0;
      for (SimJob job : world().scenario().jobs()) {
        if (job.id().equals(id)) {
          int beyond = job.slotsBeyond(world().scenario().shape().worker());
          slots = usual ? job.slots() - beyond : beyond + misplaced(id, job.slots() - beyond);
        }
      }
      return slots;
    }

    /**
     * How many larger workers the job may use for slots that fit into a usual one. A slot as large
     * as the worker may serve any request of the job, unless all others have theirs elsewhere.
     *
     * @param small how many of its slots fit into a usual worker
     */
    private int misplaced(JobId job, int small) {
      ResourceProfile usual = world().scenario().shape().worker();
      int cut = 0;
      int whole = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        SlotReport report = worker.slots().report();
        if (!isUsual(report)) {
          int cutHere =
              (int)
                  report.carved().stream()
                      .filter(slot -> slot.occupant().job().equals(job))
                      .filter(slot -> usual.fits(slot.profile()))
                      .count();
          cut += cutHere;
          whole += SlotRules.occupied(report).getOrDefault(job, 0) - cutHere;
        }
      }
      return Math.min(small, cut + Math.max(0, Math.min(whole, small - inUsual(job) - cut)));
    }

    /** How many slots the job has at workers of the usual size. */
    private int inUsual(JobId job) {
      int slots = 0;
      for (SimulatedWorld.Worker worker : world().workers()) {
        SlotReport report = worker.slots().report();
        if (isUsual(report)) {
          slots += SlotRules.occupied(report).getOrDefault(job, 0);
        }
      }
      return slots;
    }

    private boolean isUsual(SlotReport report) {
      ResourceProfile usual = world().scenario().shape().worker();
      return report.slots().stream().allMatch(slot -> usual.fits(slot.profile()));
    }
  }

  /**
   * Looks twice a second, when it is calm. A worker is idle from when the ResourceManager knows it,
   * and that its last slot is free is known with the next heartbeat where the notice was lost: this
   * time comes on top. For as long the last slot of all that is freed may still count as used,
   * which is what spares are kept for.
   */
  static final class NoneIsIdleForLong extends Invariant {
    private final Map<String, Long> idleSince = new LinkedHashMap<>();
    private Optional<SimProcess> resourceManager = Optional.empty();
    private long next;
    private long lastUse;

    NoneIsIdleForLong() {
      super("No worker that was started on demand stays without use beyond its time-out.");
    }

    /**
     * A slot that is asked of it is use, also where nobody needs it any more when it hears that.
     */
    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof ResourceManagerStarted) {
        resourceManager = Optional.of(decided.process());
      }
      if (fact instanceof Fact.Sent sent && sent.call().message() instanceof RequestSlot) {
        idleSince.remove(sent.to());
      }
      if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof SlotsReported) {
        decided.entry().worker().ifPresent(worker -> idleSince.remove(worker.value()));
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || world().driver().isEmpty() || !world().isCalm()) {
        return;
      }
      next = world().nanos() + LOOKS.toNanos();
      if (resourceManager.filter(SimProcess::isAlive).isEmpty()) {
        // It does not begin before it has its tokens.
        idleSince.clear();
        return;
      }
      Duration slack = known(world());
      Duration most =
          world()
              .scenario()
              .configuration()
              .get(ResourceManagerOptions.TASK_MANAGER_TIMEOUT)
              .plus(slack);
      int idle = 0;
      List<String> released =
          world().driver().orElseThrow().alive().stream()
              .filter(SimDriver.Started::isReleased)
              .map(SimDriver.Started::name)
              .toList();
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (released.contains(worker.name())) {
          // It may take its time to end.
          continue;
        }
        if (!SlotRules.occupied(worker.slots().report()).isEmpty()) {
          idleSince.remove(worker.name());
          lastUse = world().nanos();
        } else if (!worker.host().kept().isEmpty()) {
          idleSince.remove(worker.name());
        } else if (world().nanos() - idleSince.computeIfAbsent(worker.name(), x -> world().nanos())
            > most.toNanos()) {
          idle++;
        }
      }
      boolean used = world().nanos() - lastUse < slack.toNanos();
      int spares =
          used
              ? world()
                  .scenario()
                  .configuration()
                  .get(ResourceManagerOptions.REDUNDANT_TASK_MANAGER_NUM)
              : 0;
      int kept = Math.max(spares, world().scenario().leastWorkers());
      if (idle > kept) {
        throw broken(idle + " workers are idle for longer than " + most + ", kept: " + kept);
      }
    }
  }

  /** A JobManager may give up its storage, a worker a task that does not end or its cluster. */
  static final class NobodyEndsForNothing extends Invariant {
    NobodyEndsForNothing() {
      super("A process ends itself only where it cannot go on.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Died died) {
        boolean hasReason =
            died.process().name().startsWith("jobmanager")
                ? world().scenario().faults().stream()
                        .anyMatch(f -> f instanceof Fault.Storage || f instanceof Fault.DamagedBlob)
                    || isSuperseded(died.cause())
                    || hasNoToken(died.cause())
                : Failure.unwrap(died.cause()) instanceof ReasonException known
                    && mayEnd(died.process().name(), known.reason());
        if (!hasReason) {
          throw broken(died.process() + " ended itself: " + died.cause().getMessage());
        }
      }
    }

    private boolean mayEnd(String worker, Reason reason) {
      return reason instanceof TaskNotEnded
          || reason instanceof ResourceManagerNotFound
          || (reason instanceof CountedOut && isGone(worker))
          || (reason instanceof RegistrationRejected rejected
              && rejected.answer() instanceof WorkerUnknown
              && isGone(worker));
    }

    /** Whether the driver has no such worker, or has released it. */
    private boolean isGone(String worker) {
      return world().driver().stream()
          .flatMap(driver -> driver.alive().stream())
          .noneMatch(alive -> alive.name().equals(worker) && !alive.isReleased());
    }

    private static boolean isSuperseded(Throwable cause) {
      return causes(cause)
          .anyMatch(known -> known instanceof StaleWriteException stale && stale.isOfLaterTerm());
    }

    /** It does not begin without one, so that its workers find what they need. */
    private boolean hasNoToken(Throwable cause) {
      return causes(cause)
              .anyMatch(
                  known ->
                      known instanceof SimTokens.Closed || known instanceof SimProcess.TookLong)
          && world().scenario().faults().stream().anyMatch(f -> f instanceof Fault.NoTokens);
    }

    private static Stream<Throwable> causes(Throwable thrown) {
      return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause).limit(20);
    }
  }

  /**
   * A driver that takes a node for lost tells the ResourceManager, which tells the worker. One that
   * cannot be reached misses the ResourceManager in time.
   */
  static final class CountedOutEnds extends Invariant {
    private static final Duration SOON = Duration.ofSeconds(5);

    private final Map<String, Long> since = new LinkedHashMap<>();
    private long next;

    CountedOutEnds() {
      super("A worker that its driver takes for gone ends, at once where it can be reached.");
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() >= next && world().driver().isPresent() && world().isReachable()) {
        next = world().nanos() + LOOKS.toNanos();
        for (String worker : countedOut()) {
          if (world().nanos() - since.computeIfAbsent(worker, x -> world().nanos())
              > SOON.toNanos()) {
            throw broken(worker + " goes on for more than " + SOON);
          }
        }
      }
    }

    @Override
    protected void settled(SimulatedWorld.Story story) {
      if (world().driver().isPresent() && !countedOut().isEmpty()) {
        throw broken(countedOut() + " go on");
      }
    }

    private List<String> countedOut() {
      List<String> left = new ArrayList<>();
      world().workers().forEach(worker -> left.add(worker.name()));
      world().driver().orElseThrow().alive().forEach(started -> left.remove(started.name()));
      return left;
    }
  }

  /**
   * From the moment on in which the ResourceManager knows the worker and has been told. One that is
   * frozen has its time when it is thawed.
   */
  static final class ToldEndsAreNoted extends Invariant {
    private final Map<String, Long> known = new LinkedHashMap<>();
    private final Map<String, Told> told = new LinkedHashMap<>();
    private long next;

    private record Told(SimProcess resourceManager, String worker, long at) {}

    ToldEndsAreNoted() {
      super("A ResourceManager to which a driver says that a worker is gone takes note of that.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.WorkerEndTold end) {
        told.put(
            end.jobManager() + " " + end.worker(),
            new Told(end.jobManager(), end.worker(), world().nanos()));
      } else if (fact instanceof Fact.Granted granted
          && granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        forget(granted.process());
      } else if (fact instanceof Fact.Revoked revoked
          && revoked.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        forget(revoked.process());
      } else if (fact instanceof Fact.Decided decided
          && decided.entry().worker().isPresent()
          && decided.entry().event() instanceof ResourceManagerEvent event) {
        String worker = decided.process() + " " + decided.entry().worker().get();
        if (event instanceof ResourceManagerEvent.WorkerFound
            || event instanceof ResourceManagerEvent.WorkerStarted) {
          known.put(worker, world().nanos());
        } else if (event instanceof ResourceManagerEvent.WorkerEnded
            || event instanceof ResourceManagerEvent.WorkerAssumedGone) {
          known.remove(worker);
          told.remove(worker);
        }
      }
    }

    private void forget(SimProcess resourceManager) {
      known.keySet().removeIf(worker -> worker.startsWith(resourceManager + " "));
      told.keySet().removeIf(worker -> worker.startsWith(resourceManager + " "));
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || told.isEmpty()) {
        return;
      }
      next = world().nanos() + LOOKS.toNanos();
      told.values().removeIf(end -> !end.resourceManager().isAlive());
      told.replaceAll(
          (key, end) ->
              end.resourceManager().isFrozen()
                  ? new Told(end.resourceManager(), end.worker(), world().nanos())
                  : end);
      told.forEach(
          (key, end) -> {
            Long since = known.get(key);
            if (since != null && world().nanos() - Math.max(since, end.at()) > MOMENT.toNanos()) {
              throw broken(end.resourceManager() + " knows " + end.worker() + ", which is gone");
            }
          });
    }
  }

  static final class NoneIsLeaked extends Invariant {
    NoneIsLeaked() {
      super("When all jobs have ended, every worker beyond the configured minimum is given back.");
    }

    @Override
    protected void over(SimulatedWorld.Story story) {
      world()
          .driver()
          .ifPresent(
              driver -> {
                int there = driver.alive().size() + driver.requested();
                if (there > world().scenario().leastWorkers()) {
                  throw broken(
                      driver.alive().stream().map(SimDriver.Started::name).toList()
                          + " are there and "
                          + driver.requested()
                          + " asked for");
                }
              });
    }
  }
}
