package io.millrace.sim.check;

import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerReleased;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.task.ClusterPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** What holds of results that are kept for later jobs. */
final class DataRules {
  private DataRules() {}

  /**
   * Looks when all is settled, in which time a data set that has lost some of its parts was
   * released; and when all is over, after the client has deleted what was there.
   */
  static final class TrackedIsHeld extends Invariant {
    TrackedIsHeld() {
      super(
          "The results that the ResourceManager knows of are those that living workers keep, and"
              + " none is left when all were deleted.");
    }

    @Override
    protected void settled(SimulatedWorld.Story story) {
      List<String> tracked = new ArrayList<>();
      for (DataSetInfo known : story.dataSets()) {
        for (DataSetInfo.Placed placed : known.partitions()) {
          tracked.add(
              name(
                  placed.worker().value(),
                  known.id(),
                  known.term(),
                  placed.index(),
                  known.total()));
        }
      }
      List<String> held = held();
      tracked.sort(null);
      if (!tracked.equals(held)) {
        throw broken("Workers keep " + held + ", the ResourceManager knows of " + tracked);
      }
    }

    @Override
    protected void over(SimulatedWorld.Story story) {
      settled(story);
      if (!held().isEmpty()) {
        throw broken("All results were deleted, and workers keep " + held());
      }
    }

    private List<String> held() {
      List<String> held = new ArrayList<>();
      for (SimulatedWorld.Worker worker : world().workers()) {
        for (ClusterPartition kept : worker.host().kept()) {
          held.add(name(worker.name(), kept.dataSet(), kept.term(), kept.index(), kept.total()));
        }
      }
      held.sort(null);
      return held;
    }

    private static String name(String worker, Object id, long term, int index, int total) {
      return worker + " " + index + "/" + total + " of " + id + " in " + term;
    }
  }

  /**
   * Looks at what a worker really has when it is told to go for want of use. What it has kept for
   * less than a moment its ResourceManager need not know yet.
   */
  static final class DataIsUse extends Invariant {
    private final TreeMap<String, Long> keepsSince = new TreeMap<>();
    private long next;

    DataIsUse() {
      super("A worker that keeps results for later jobs is not given back as idle.");
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || world().driver().isEmpty()) {
        return;
      }
      next = world().nanos() + WorkerRules.LOOKS.toNanos();
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (worker.host().kept().isEmpty()) {
          keepsSince.remove(worker.name());
        } else {
          keepsSince.putIfAbsent(worker.name(), world().nanos());
        }
      }
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Decided decided
          && decided.entry().event() instanceof WorkerReleased release
          && release.reason() instanceof WorkerIdle) {
        released(decided.entry());
      }
    }

    private void released(JournalEntry entry) {
      String name = entry.worker().orElseThrow().value();
      for (SimulatedWorld.Worker worker : world().workers()) {
        Long since = keepsSince.get(name);
        if (worker.name().equals(name)
            && !worker.host().kept().isEmpty()
            && since != null
            && world().nanos() - since > WorkerRules.known(world()).toNanos()) {
          throw broken(name + " keeps " + worker.host().kept() + " and is told to go");
        }
      }
    }
  }
}
