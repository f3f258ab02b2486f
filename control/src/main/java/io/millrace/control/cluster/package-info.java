/**
 * Leader election of components. {@link io.millrace.control.cluster.ClusterServices} has the
 * services that a component needs of its process, and {@link
 * io.millrace.control.cluster.LeaderElectionRunner} runs one endpoint per term.
 */
package io.millrace.control.cluster;
