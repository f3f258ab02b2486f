/**
 * Cluster partitions: results of tasks that later jobs read. {@link
 * io.millrace.dataplane.partition.PartitionStore} is the entry. It keeps them as files in a
 * directory of this process and deletes the directory at its end. It stores bytes and knows nothing
 * about records.
 */
package io.millrace.dataplane.partition;
