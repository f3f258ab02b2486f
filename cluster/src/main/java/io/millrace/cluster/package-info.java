/**
 * Puts the parts together: {@link io.millrace.cluster.EmbeddedCluster} in one process, and the
 * processes of a standalone cluster: {@link io.millrace.cluster.JobManagerProcess} for a session,
 * {@link io.millrace.cluster.ApplicationProcess} for one program, and {@link
 * io.millrace.cluster.TaskManagerProcess}. Nothing is decided here but how an application ended;
 * what is started in which order can be read top down.
 */
package io.millrace.cluster;
