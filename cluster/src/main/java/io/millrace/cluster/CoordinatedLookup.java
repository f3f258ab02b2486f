package io.millrace.cluster;

import io.millrace.control.ha.Coordinator;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.leader.DirectoryLeaderRetrieval;
import java.util.Optional;

/** Finds the leading JobManager for a TaskManager, in a coordination service. */
record CoordinatedLookup(Coordinator coordinator) implements DirectoryLeaderRetrieval.Lookup {
  @Override
  public Optional<String> process() {
    return coordinator.leader().map(LeaderRecord::rpc);
  }

  @Override
  public Subscription onChange(Runnable listener) {
    return coordinator.onLeaderChange(listener);
  }

  @Override
  public String toString() {
    return coordinator.toString();
  }
}
