/**
 * Results of tasks that later jobs read. {@link io.millrace.dataplane.partition.PartitionStore} has
 * them as files in a directory of this process, which goes with it; it knows nothing of records.
 */
package io.millrace.dataplane.partition;
