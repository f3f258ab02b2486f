package io.millrace.dataplane.wire;

/**
 * The channel that a checkpoint barrier passes.
 *
 * @param edge id of the edge in the job graph
 */
public record BarrierChannel(int edge, int producer, int consumer) {}
