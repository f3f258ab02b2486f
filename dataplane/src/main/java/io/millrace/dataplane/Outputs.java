package io.millrace.dataplane;

/** Where an operator's records go. */
record Outputs(Stage main, SideOutputs sides) {}
