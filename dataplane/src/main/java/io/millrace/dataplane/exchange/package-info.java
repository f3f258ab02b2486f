/**
 * Records between tasks. {@link io.millrace.dataplane.exchange.DeploymentExchange} is the entry. It
 * holds the edges of a deployment, opens a {@link io.millrace.dataplane.exchange.RecordWriter} for
 * each output of a task, and receives frames from other hosts. {@link
 * io.millrace.dataplane.exchange.InputGate} is the input of a task.
 *
 * <p>Tasks of one process exchange batches by reference. To another process a batch is serialised
 * and sent in frames through {@code wire}. Both are bounded by credits. A batch has one owner at a
 * time, and only its owner touches it.
 */
package io.millrace.dataplane.exchange;
