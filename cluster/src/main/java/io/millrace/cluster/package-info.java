/**
 * Puts the parts together: {@link io.millrace.cluster.EmbeddedCluster} in one process, and the
 * processes of a standalone cluster, {@link io.millrace.cluster.JobManagerProcess} and {@link
 * io.millrace.cluster.TaskManagerProcess}. Nothing is decided here; what is started in which order
 * can be read top down.
 */
package io.millrace.cluster;
