/**
 * How the memory of a process is divided. {@link io.millrace.core.memory.TaskManagerMemory} and
 * {@link io.millrace.core.memory.JobManagerMemory} derive every part to the byte from whichever
 * options are set, by Flink's rules, and the JVM flags from the parts. Options that contradict each
 * other are refused with their numbers. Nothing here looks at the running JVM.
 */
package io.millrace.core.memory;
