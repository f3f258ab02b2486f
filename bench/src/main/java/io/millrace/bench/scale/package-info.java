/**
 * How the control plane grows: a JobManager and thousands of TaskManagers, all of them the
 * production classes, in one thread on virtual time. {@link io.millrace.bench.scale.ScaleBench}
 * runs the sizes, each in a JVM of its own, and draws what came out; {@link
 * io.millrace.bench.scale.World} is the clock and the network, which encode and decode every
 * message as the wire does and write down who worked for how long.
 */
package io.millrace.bench.scale;
