/**
 * Assembles components into processes. {@link io.millrace.cluster.EmbeddedCluster} runs a cluster
 * in one process. {@link io.millrace.cluster.JobManagerProcess} is the JobManager of a session,
 * {@link io.millrace.cluster.ApplicationProcess} of one program, {@link
 * io.millrace.cluster.PerJobProcess} of one job. {@link io.millrace.cluster.TaskManagerProcess} is
 * a TaskManager, and {@link io.millrace.cluster.HistoryServerProcess} shows ended jobs without a
 * cluster. The only decision made here is the outcome of an application.
 *
 * <p>Programs do not use this package directly. With it on the class path, {@code
 * StreamEnvironment.current()} runs jobs on an embedded cluster.
 */
package io.millrace.cluster;
