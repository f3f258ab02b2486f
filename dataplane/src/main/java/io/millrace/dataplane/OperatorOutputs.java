package io.millrace.dataplane;

/** Where an operator's records go. */
record OperatorOutputs(StreamOperator main, SideOutputs sideOutputs) {}
