/**
 * The content of a run, decided before it begins: {@link io.millrace.sim.scenario.Scenario} is
 * plain data, drawn from a seed and a {@link io.millrace.sim.scenario.ScenarioKind}. It consists of
 * jobs, {@link io.millrace.sim.scenario.ClientAction} and {@link io.millrace.sim.scenario.Fault}
 * records. Nothing here runs.
 */
package io.millrace.sim.scenario;
