/**
 * High availability through ZooKeeper, as a plugin. {@link
 * io.millrace.ha.zookeeper.ZooKeeperCoordinatorProvider} is the entry.
 *
 * <p>The nodes of a cluster, below {@code high-availability.zookeeper.path.root} and the id of the
 * cluster:
 *
 * <pre>
 * latch/…   one ephemeral node per JobManager; the oldest one leads
 * fence-…   its version counts take-overs; each write checks it
 * leader    ephemeral: the addresses of the leader
 * store/…   one node per key of the recovery data; its own data is the directory with the files
 * </pre>
 */
package io.millrace.ha.zookeeper;
