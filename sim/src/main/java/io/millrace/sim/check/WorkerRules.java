package io.millrace.sim.check;

import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.journal.ResourceManagerEvent.ResourceManagerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsReported;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimProcess;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Invariants of idle and surplus workers, and what the rules about workers share. */
final class WorkerRules {
  /** The interval of checks that need not run after each event. */
  static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

  /** Time for messages to arrive and for processes to end. */
  static final Duration MOMENT = Duration.ofSeconds(1);

  private WorkerRules() {}

  /**
   * The time after which the ResourceManager knows the slots of a worker even if a notice was lost.
   */
  static Duration known(SimulatedWorld world) {
    return world
        .scenario()
        .configuration()
        .get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL)
        .plus(MOMENT);
  }

  /** Workers that run or are requested, without released ones. */
  static int wanted(SimDriver driver) {
    return driver.requested()
        + (int) driver.alive().stream().filter(worker -> !worker.isReleased()).count();
  }

  /**
   * Checks twice a second in the calm phase. A worker is idle from the time at which the
   * ResourceManager knows it, at the latest when it should have registered: the loss of a call may
   * delay that into the calm phase. If the notice about its last free slot is lost, the next
   * heartbeat reports it, so that a heartbeat interval is added. During that interval the last
   * freed slot of the cluster may still count as used, and spares are kept for it.
   */
  static final class IdleWorkersAreReleased extends Invariant {
    private final Map<String, Long> idleSince = new LinkedHashMap<>();
    private final Set<String> registered = new LinkedHashSet<>();
    private Optional<SimProcess> resourceManager = Optional.empty();
    private long next;
    private long lastUse;

    IdleWorkersAreReleased() {
      super("No worker that was started on demand stays idle beyond its timeout.");
    }

    /**
     * A slot request counts as use, even if the job does not need the slot any more when it
     * arrives.
     */
    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof RequestSlot) {
        idleSince.remove(sent.to());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof ResourceManagerStarted) {
        resourceManager = Optional.of(decided.process());
      } else if (decided.entry().event() instanceof SlotsReported) {
        decided
            .entry()
            .worker()
            .ifPresent(
                worker -> {
                  idleSince.remove(worker.value());
                  registered.add(worker.value());
                });
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || world().driver().isEmpty() || !world().isCalm()) {
        return;
      }
      next = world().nanos() + CHECK_INTERVAL.toNanos();
      if (resourceManager.filter(SimProcess::isAlive).isEmpty()) {
        // The ResourceManager does not start before it has its tokens.
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
      Duration registration =
          world()
              .scenario()
              .configuration()
              .get(ResourceManagerOptions.TASK_MANAGER_REGISTRATION_TIMEOUT);
      int idle = 0;
      List<String> released =
          world().driver().orElseThrow().alive().stream()
              .filter(SimDriver.Started::isReleased)
              .map(SimDriver.Started::name)
              .toList();
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (released.contains(worker.name())) {
          // A released worker may end late.
          continue;
        }
        if (!SlotRules.occupied(worker.slots().report()).isEmpty()) {
          idleSince.remove(worker.name());
          lastUse = world().nanos();
        } else if (!worker.host().kept().isEmpty()) {
          idleSince.remove(worker.name());
        } else if (world().nanos() - idleSince.computeIfAbsent(worker.name(), x -> world().nanos())
            > (registered.contains(worker.name()) ? most : most.plus(registration)).toNanos()) {
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
        throw broken(idle + " workers are idle for longer than " + most + ", to keep: " + kept);
      }
    }
  }

  static final class NoWorkerIsLeaked extends Invariant {
    NoWorkerIsLeaked() {
      super("When all jobs have ended, every worker beyond the configured minimum is released.");
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      world()
          .driver()
          .ifPresent(
              driver -> {
                int there = driver.alive().size() + driver.requested();
                if (there > world().scenario().leastWorkers()) {
                  throw broken(
                      driver.alive().stream().map(SimDriver.Started::name).toList()
                          + " run and "
                          + driver.requested()
                          + " are requested");
                }
              });
    }
  }
}
