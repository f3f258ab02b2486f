package io.millrace.control.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.util.Objects;

/**
 * The services of a process that a component needs to be elected, to find leaders and to be called.
 */
public record ClusterServices(
    Rpc rpc, LeaderElection election, LeaderRetrieval leaders, Configuration configuration) {
  public ClusterServices {
    Objects.requireNonNull(rpc);
    Objects.requireNonNull(election);
    Objects.requireNonNull(leaders);
    Objects.requireNonNull(configuration);
  }
}
