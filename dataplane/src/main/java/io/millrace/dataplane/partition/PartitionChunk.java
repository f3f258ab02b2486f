package io.millrace.dataplane.partition;

/**
 * A chunk of a partition.
 *
 * @param last whether it is the last chunk
 */
public record PartitionChunk(byte[] bytes, boolean last) {}
