/**
 * The command {@code tools/sim}: {@link io.millrace.sim.tool.Sim} runs many seeds on all cores,
 * shrinks what fails, checks in a second JVM that runs repeat themselves, and shows a single run as
 * text or as a page.
 */
package io.millrace.sim.tool;
