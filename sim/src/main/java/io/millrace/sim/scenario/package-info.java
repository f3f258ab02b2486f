/**
 * What a run is about, decided before it begins: {@link io.millrace.sim.scenario.Scenario} is plain
 * data, drawn from a seed and a {@link io.millrace.sim.scenario.ScenarioKind}, made of jobs, of
 * {@link io.millrace.sim.scenario.Act acts} of clients and of {@link io.millrace.sim.scenario.Fault
 * faults}. Nothing here runs.
 */
package io.millrace.sim.scenario;
