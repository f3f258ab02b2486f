/**
 * A simulated cluster of production classes and its runs: {@link
 * io.millrace.sim.cluster.ScenarioRun} plays a scenario and tells the {@link
 * io.millrace.sim.cluster.RunOutcome}. Everything that the processes are made of passes through a
 * {@link io.millrace.sim.cluster.SimWiring}, where a rule can be broken on purpose.
 */
package io.millrace.sim.cluster;
