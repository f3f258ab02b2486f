/**
 * The memory model of processes. {@link io.millrace.core.memory.TaskManagerMemory} and {@link
 * io.millrace.core.memory.JobManagerMemory} derive every part to the byte from the configured
 * options by Flink's rules, and the JVM arguments from the parts. Contradictory options are
 * rejected with their values. This package does not inspect the running JVM.
 */
package io.millrace.core.memory;
