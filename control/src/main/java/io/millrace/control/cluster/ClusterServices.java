package io.millrace.control.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.util.Objects;

/** What a component needs of the process it runs in to take its place in the cluster. */
public record ClusterServices(
    Rpc rpc, LeaderElection election, LeaderRetrieval leaders, Configuration configuration) {
  public ClusterServices {
    Objects.requireNonNull(rpc);
    Objects.requireNonNull(election);
    Objects.requireNonNull(leaders);
    Objects.requireNonNull(configuration);
  }
}
