package io.millrace.sim.check;

import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.sim.SimProcess;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Invariants of workers that a driver is going to take away. */
final class DrainingRules {
  private DrainingRules() {}

  /** The announcements that a ResourceManager has got in its present term, and what follows. */
  private abstract static class AnnouncementRule extends Invariant {
    /** The announcements by ResourceManager and worker. */
    final Map<String, Announced> announced = new LinkedHashMap<>();

    /** The processes whose ResourceManagers have started and not lost their leadership. */
    private final Set<SimProcess> started = new LinkedHashSet<>();

    /**
     * @param at when it was announced, or when the ResourceManager could process it
     * @param until when the worker will be taken away
     */
    record Announced(SimProcess resourceManager, String worker, long at, long until) {
      Announced from(long now) {
        return new Announced(resourceManager, worker, now, Math.max(until, now));
      }
    }

    AnnouncementRule(String sentence) {
      super(sentence);
    }

    static String key(String resourceManager, String worker) {
      return resourceManager + " " + worker;
    }

    boolean isStarted(SimProcess resourceManager) {
      return started.contains(resourceManager) && resourceManager.isAlive();
    }

    @Override
    protected void drainingReported(Fact.DrainingReported draining) {
      long now = world().nanos();
      announced.putIfAbsent(
          key(draining.jobManager().name(), draining.worker()),
          new Announced(
              draining.jobManager(), draining.worker(), now, now + draining.within().toNanos()));
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        forget(granted.process());
      }
    }

    @Override
    protected void revoked(Fact.Revoked revoked) {
      if (revoked.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        forget(revoked.process());
      }
    }

    /** What was announced before the ResourceManager started counts from its start. */
    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof ResourceManagerEvent.ResourceManagerStarted) {
        started.add(decided.process());
        announced.replaceAll(
            (key, known) ->
                known.resourceManager() == decided.process() ? known.from(world().nanos()) : known);
      }
    }

    private void forget(SimProcess resourceManager) {
      started.remove(resourceManager);
      announced.values().removeIf(known -> known.resourceManager() == resourceManager);
    }
  }

  /** A user who blocks the worker for another time, or unblocks it, decides on its slots. */
  static final class DrainingWorkersGetNoSlots extends AnnouncementRule {
    DrainingWorkersGetNoSlots() {
      super("No slot is requested of a worker that its driver is going to take away.");
    }

    @Override
    protected void called(Fact.Called called) {
      if (called.call().message() instanceof Unblock unblock) {
        announced.remove(key(called.to().name(), unblock.target()));
      } else if (called.call().message() instanceof Block block) {
        announced.remove(key(called.to().name(), block.target()));
      }
    }

    @Override
    protected void sent(Fact.Sent sent) {
      if (sent.call().message() instanceof RequestSlot) {
        Announced known = announced.get(key(sent.from(), sent.to()));
        // The announcement passes through the mailbox.
        if (known != null
            && isStarted(known.resourceManager())
            && world().nanos() > known.at()
            && world().nanos() < known.until()) {
          throw broken(
              "A slot is requested of "
                  + sent.to()
                  + ", which is taken away in "
                  + (known.until() - world().nanos()) / 1_000_000
                  + " ms");
        }
      }
    }
  }

  /**
   * At the latest when the announced time is over. A ResourceManager releases a worker only while
   * it knows the worker's slots, and leaves one that registers after that time to the driver, which
   * ends it.
   */
  static final class DrainingWorkersAreReleased extends AnnouncementRule {
    /** When the slots of each worker were reported, by ResourceManager and worker. */
    private final Map<String, Long> reported = new LinkedHashMap<>();

    private long next;

    DrainingWorkersAreReleased() {
      super("A worker that its driver is going to take away is released before that.");
    }

    @Override
    protected void decided(Fact.Decided decided) {
      super.decided(decided);
      if (decided.entry().worker().isPresent()) {
        String worker = key(decided.process().name(), decided.entry().worker().get().value());
        if (decided.entry().event() instanceof ResourceManagerEvent.SlotsReported) {
          reported.put(worker, world().nanos());
        } else if (decided.entry().event() instanceof ResourceManagerEvent.TaskManagerLost) {
          reported.remove(worker);
        } else if (decided.entry().event() instanceof ResourceManagerEvent.WorkerReleased
            || decided.entry().event() instanceof ResourceManagerEvent.WorkerEnded) {
          reported.remove(worker);
          announced.remove(worker);
        }
      }
    }

    @Override
    protected void granted(Fact.Granted granted) {
      super.granted(granted);
      if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        reported.keySet().removeIf(worker -> worker.startsWith(key(granted.process().name(), "")));
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || announced.isEmpty()) {
        return;
      }
      next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
      announced.values().removeIf(known -> !known.resourceManager().isAlive());
      announced.replaceAll(
          (key, known) -> known.resourceManager().isFrozen() ? known.from(world().nanos()) : known);
      announced.forEach(this::check);
    }

    private void check(String key, Announced known) {
      Long since = reported.get(key);
      if (since != null
          && since <= known.until()
          && isStarted(known.resourceManager())
          && world().nanos() - known.until() > WorkerRules.MOMENT.toNanos()
          && runs(known.worker())) {
        throw broken(
            known.resourceManager()
                + " has not released "
                + known.worker()
                + " before it was taken away");
      }
    }

    private boolean runs(String worker) {
      return world().workers().stream().map(SimulatedWorld.Worker::name).anyMatch(worker::equals);
    }
  }
}
