/**
 * The keys of a cluster whose processes run on several machines. {@link
 * io.millrace.cluster.keys.ClusterKeys} creates a certificate authority in a directory and signs
 * the keys of processes; {@link io.millrace.cluster.keys.JoinBundle} is the file with which a
 * TaskManager on another machine joins, and {@link io.millrace.cluster.keys.JobManagerContact} asks
 * the JobManager whether it accepts that file. Programs do not use this package directly.
 */
package io.millrace.cluster.keys;
