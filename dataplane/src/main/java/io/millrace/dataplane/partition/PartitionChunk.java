package io.millrace.dataplane.partition;

/**
 * A piece of a partition. It is handed over and never compared.
 *
 * @param last whether the partition ends with it
 */
public record PartitionChunk(byte[] bytes, boolean last) {}
