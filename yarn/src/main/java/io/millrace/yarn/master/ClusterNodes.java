package io.millrace.yarn.master;

import org.apache.hadoop.yarn.api.records.YarnClusterMetrics;

/** The number of nodes of a cluster by their state, from one small answer of YARN. */
record ClusterNodes(int active, int unhealthy, int lost, int decommissioned) {

  static ClusterNodes of(YarnClusterMetrics metrics) {
    return new ClusterNodes(
        metrics.getNumActiveNodeManagers(),
        metrics.getNumUnhealthyNodeManagers(),
        metrics.getNumLostNodeManagers(),
        metrics.getNumDecommissionedNodeManagers());
  }

  @Override
  public String toString() {
    return "the cluster has "
        + active
        + " active nodes"
        + (unhealthy + lost + decommissioned == 0
            ? ""
            : ", "
                + unhealthy
                + " unhealthy, "
                + lost
                + " lost, "
                + decommissioned
                + " decommissioned");
  }
}
