/**
 * Simulated servers of ZooKeeper and connections between JobManagers, below the production election
 * and store of {@code io.millrace.ha.zookeeper.nodes}. {@link
 * io.millrace.sim.zookeeper.SimZooKeeper} is the entry.
 */
package io.millrace.sim.zookeeper;
