/**
 * Puts the parts together: {@link io.millrace.cluster.EmbeddedCluster} in one process, and the
 * processes of a cluster: {@link io.millrace.cluster.JobManagerProcess} for a session, {@link
 * io.millrace.cluster.ApplicationProcess} for one program, {@link
 * io.millrace.cluster.PerJobProcess} for one job, and {@link
 * io.millrace.cluster.TaskManagerProcess}; {@link io.millrace.cluster.HistoryServerProcess} shows
 * jobs without a cluster. Nothing is decided here but how an application ended; what is started in
 * which order can be read top down.
 */
package io.millrace.cluster;
