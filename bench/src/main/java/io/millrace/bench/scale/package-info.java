/**
 * Scale of the control plane: a JobManager and thousands of TaskManagers, all of them production
 * classes, in one thread on virtual time. {@link io.millrace.bench.scale.ScaleBench} runs the
 * sizes, each in its own JVM, and plots the results; {@link io.millrace.bench.scale.VirtualWorld}
 * is the clock and the network, which encodes and decodes each message as the wire does and records
 * the CPU time of each process.
 */
package io.millrace.bench.scale;
