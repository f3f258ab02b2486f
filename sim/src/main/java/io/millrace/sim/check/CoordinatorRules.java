package io.millrace.sim.check;

import io.millrace.protocol.ComponentNames;
import io.millrace.sim.SimProcess;
import io.millrace.sim.zookeeper.SimZooKeeper;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Invariants of JobManagers that contend at ZooKeeper. */
final class CoordinatorRules {
  private CoordinatorRules() {}

  /** A removal by mistake does no harm to data, and restarts all jobs. */
  static final class LivingContendersStay extends Invariant {
    LivingContendersStay() {
      super(
          "A JobManager removes the node of another one only if that is dead or its port refuses"
              + " connections.");
    }

    @Override
    protected void contenderRemoved(Fact.ContenderRemoved removed) {
      if (removed.owner().isAlive() && !removed.refused()) {
        throw broken(removed.by() + " removed the node of " + removed.owner() + ", which lives");
      }
    }
  }

  /** A process that was frozen cannot know. */
  static final class LeadersStopBeforeTheirSessionEnds extends Invariant {
    /** The processes whose Dispatcher leads, and for how long they were frozen before. */
    private final Map<SimProcess, Fact.Granted> leading = new LinkedHashMap<>();

    /** The processes that were frozen a session time-out ago or later. */
    private final Map<SimProcess, Long> frozen = new LinkedHashMap<>();

    LeadersStopBeforeTheirSessionEnds() {
      super(
          "A JobManager that ZooKeeper does not hear of stops to lead before its session times out,"
              + " unless it was frozen.");
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.DISPATCHER)) {
        leading.put(granted.process(), granted);
      }
    }

    @Override
    protected void revoked(Fact.Revoked revoked) {
      if (revoked.component().equals(ComponentNames.DISPATCHER)) {
        leading.remove(revoked.process());
      }
    }

    @Override
    protected void afterEvent() {
      for (SimProcess process : leading.keySet()) {
        if (process.isFrozen()) {
          frozen.put(process, world().nanos());
        }
      }
    }

    @Override
    protected void sessionTimedOut(Fact.SessionTimedOut ended) {
      SimProcess process = ended.process();
      long since = world().nanos() - 2 * SimZooKeeper.TIMEOUT.toNanos();
      if (process.isAlive()
          && leading.containsKey(process)
          && frozen.getOrDefault(process, Long.MIN_VALUE) < since) {
        throw broken(process + " leads with " + leading.get(process).token());
      }
    }
  }

  static final class FormerLeadersDoNotWrite extends Invariant {
    private Optional<SimProcess> owner = Optional.empty();

    FormerLeadersDoNotWrite() {
      super("Only the JobManager that has taken over last changes the nodes of ZooKeeper.");
    }

    @Override
    protected void storeTakenOver(Fact.StoreTakenOver taken) {
      owner = Optional.of(taken.by());
    }

    @Override
    protected void nodesChanged(Fact.NodesChanged changed) {
      if (!owner.equals(Optional.of(changed.by()))) {
        throw broken(changed.by() + " has written, and " + owner.orElse(null) + " has taken over");
      }
    }
  }
}
