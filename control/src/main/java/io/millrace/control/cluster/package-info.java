/**
 * How a component takes its place in the cluster: {@link
 * io.millrace.control.cluster.ClusterServices} is what it needs of its process for that, {@link
 * io.millrace.control.cluster.LeaderElectionRunner} takes part in its election and runs one
 * endpoint a term.
 */
package io.millrace.control.cluster;
