/**
 * Recovery data of a JobManager. {@link io.millrace.control.ha.HaStore} is the plug point: small
 * values under keys, with versions against lost updates and terms against former leaders. {@link
 * io.millrace.control.ha.MemoryHaStore} implements it for clusters that end with their process,
 * {@link io.millrace.control.ha.FileHaStore} for a JobManager that restarts on the same disk, and
 * {@link io.millrace.control.ha.FencedHaStore} for shared storage. A {@link
 * io.millrace.control.ha.Coordinator} of a plugin elects one of several JobManagers and has a store
 * of its own.
 *
 * <p>{@link io.millrace.control.ha.JobStore} keeps the jobs to recover and {@link
 * io.millrace.control.ha.JobResultStore} the results of ended jobs. Both hold references; graphs
 * and jars are blobs. {@link io.millrace.control.ha.CheckpointStore} keeps which checkpoints of a
 * job are complete, and {@link io.millrace.control.ha.DeploymentStore} which attempts were
 * deployed. {@link io.millrace.control.ha.ReadAheadStore} reads several values in one round trip.
 * {@link io.millrace.control.ha.TermCounter} makes terms grow, and {@link
 * io.millrace.control.ha.LeaderRecord} stores the address of the JobManager for TaskManagers.
 */
package io.millrace.control.ha;
