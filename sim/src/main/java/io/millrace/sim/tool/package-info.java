/**
 * The command {@code tools/sim}. {@link io.millrace.sim.tool.Sim} runs many seeds on all cores,
 * shrinks failures, checks in a second JVM that runs are deterministic, and prints a run as text or
 * as an HTML page.
 */
package io.millrace.sim.tool;
