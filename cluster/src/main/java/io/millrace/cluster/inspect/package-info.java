/**
 * Looks into the own process for people: log files and levels, threads, sampled stacks of tasks and
 * configuration. {@link io.millrace.cluster.inspect.ProcessInspector} does it; {@link
 * io.millrace.cluster.inspect.ProcessEndpoint} makes it reachable for the JobManager in the process
 * of a TaskManager. Everything that leaves the process is bounded, because it travels in messages.
 * Programs do not use this package directly.
 */
package io.millrace.cluster.inspect;
