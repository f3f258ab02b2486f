/**
 * Scalability of the control plane: a JobManager and thousands of TaskManagers, with the production
 * classes, in one thread on virtual time. {@link io.millrace.bench.scale.ScaleBench} runs each size
 * in its own JVM and draws the results. {@link io.millrace.bench.scale.VirtualWorld} is the clock
 * and the network; it encodes and decodes every message and meters the cost of each process.
 */
package io.millrace.bench.scale;
