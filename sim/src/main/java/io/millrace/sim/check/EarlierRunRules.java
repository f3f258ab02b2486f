package io.millrace.sim.check;

import io.millrace.sim.SimCheckpointStorage;
import io.millrace.sim.scenario.SimJob;
import java.util.List;
import java.util.Set;

/** Invariants of what an application finds that has run before. */
final class EarlierRunRules {
  private EarlierRunRules() {}

  /**
   * Its user may have started this run with one of the checkpoints. The directory is no longer that
   * of the job, so that this run writes nothing into it either.
   */
  static final class EarlierRunsAreLeftAlone extends Invariant {
    EarlierRunsAreLeftAlone() {
      super("A job changes nothing in the directory in which an earlier run has left checkpoints.");
    }

    @Override
    protected void checkpointDeleted(Fact.CheckpointDeleted deleted) {
      if (world().checkpoints().ofEarlierRuns().contains(deleted.path())) {
        throw broken(deleted.path() + " is deleted");
      }
    }

    @Override
    protected void over(SimulatedWorld.ClusterReport report) {
      Set<String> left = world().checkpoints().ofEarlierRuns();
      for (SimJob job : world().scenario().jobs()) {
        String directory = SimCheckpointStorage.ROOT + "/" + job.id();
        List<String> added =
            world().checkpoints().under(directory).stream()
                .filter(path -> left.contains(directory) && !left.contains(path))
                .toList();
        if (!added.isEmpty()) {
          throw broken(added + " are beside what an earlier run has left");
        }
      }
    }
  }
}
