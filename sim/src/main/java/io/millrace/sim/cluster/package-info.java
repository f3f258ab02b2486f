/**
 * A simulated cluster of production classes and its runs: {@link
 * io.millrace.sim.cluster.ScenarioRun} runs a scenario and returns the {@link
 * io.millrace.sim.cluster.RunOutcome}. All components of the processes pass through a {@link
 * io.millrace.sim.cluster.SimWiring}, which can violate an invariant on purpose.
 */
package io.millrace.sim.cluster;
