/**
 * The program of the soak test: sources with positions, counts, windows and timers per key, and
 * sinks that commit exactly once. {@link io.millrace.soak.program.SoakProgram} is its main class.
 */
package io.millrace.soak.program;
