package io.millrace.dataplane.operator;

/** The consumers of an operator's records and watermarks. */
public record OperatorOutputs(
    StreamOperator main, SideOutputs sideOutputs, WatermarkTargets watermarkTargets) {}
