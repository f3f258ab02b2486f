package io.millrace.dataplane.kept;

/**
 * A piece of a partition. It is handed over and never compared.
 *
 * @param last whether the partition ends with it
 */
public record Part(byte[] bytes, boolean last) {}
