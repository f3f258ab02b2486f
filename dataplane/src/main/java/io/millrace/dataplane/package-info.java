/**
 * Runs tasks and moves records between them. {@link io.millrace.dataplane.DataPlane} is the entry:
 * it takes deployments, builds a {@code Task} for each subtask and steps it on the cores. Tasks of
 * one host hand batches over by reference, tasks of different hosts through {@code wire}; what a
 * job leaves for later ones is in {@code kept}. {@link
 * io.millrace.dataplane.CollectedRecordDecoder} reads what a collecting task sent to its client.
 */
package io.millrace.dataplane;
