package io.millrace.sim.check;

import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerReleased;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.task.ClusterPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Invariants of the cluster partitions of cached data sets. */
final class PartitionRules {
  private PartitionRules() {}

  /**
   * Checks the settled cluster, which has released data sets that lost partitions, and the end,
   * when the client has deleted all data sets.
   */
  static final class TrackedPartitionsExist extends Invariant {
    TrackedPartitionsExist() {
      super(
          "The partitions that the ResourceManager tracks are those that living workers hold,"
              + " and none is left when all were deleted.");
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      List<String> tracked = new ArrayList<>();
      for (DataSetInfo known : report.dataSets()) {
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
        throw broken("Workers hold " + held + ", the ResourceManager tracks " + tracked);
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      settled(report);
      if (!held().isEmpty()) {
        throw broken("All data sets were deleted, and workers hold " + held());
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
   * Checks the actual partitions of a worker when it is released as idle. The ResourceManager need
   * not know partitions that are newer than a heartbeat interval.
   */
  static final class WorkersWithPartitionsAreNotIdle extends Invariant {
    private final TreeMap<String, Long> holdsSince = new TreeMap<>();
    private long next;

    WorkersWithPartitionsAreNotIdle() {
      super("A worker with cluster partitions is not released as idle.");
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || world().driver().isEmpty()) {
        return;
      }
      next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
      for (SimulatedWorld.Worker worker : world().workers()) {
        if (worker.host().kept().isEmpty()) {
          holdsSince.remove(worker.name());
        } else {
          holdsSince.putIfAbsent(worker.name(), world().nanos());
        }
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof WorkerReleased release
          && release.reason() instanceof WorkerIdle) {
        released(decided.entry());
      }
    }

    private void released(JournalEntry entry) {
      String name = entry.worker().orElseThrow().value();
      for (SimulatedWorld.Worker worker : world().workers()) {
        Long since = holdsSince.get(name);
        if (worker.name().equals(name)
            && !worker.host().kept().isEmpty()
            && since != null
            && world().nanos() - since > WorkerRules.known(world()).toNanos()) {
          throw broken(name + " holds " + worker.host().kept() + " and is released");
        }
      }
    }
  }
}
