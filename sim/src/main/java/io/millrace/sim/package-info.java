/**
 * A cluster in one thread, on virtual time, from a seed. {@link io.millrace.sim.Simulation} has the
 * clock, the queue of events and the network. {@link io.millrace.sim.SimProcess} is a process,
 * whose {@link io.millrace.rpc.Env} and {@link io.millrace.rpc.Transport} are passed to the
 * production classes of {@code control}, {@code worker} and {@code rpc}. {@link
 * io.millrace.sim.cluster.SimCluster} composes a JobManager and TaskManagers.
 *
 * <p>The same seed gives the same run: each event is written into a trace, whose digest two JVMs
 * can compare.
 */
package io.millrace.sim;
