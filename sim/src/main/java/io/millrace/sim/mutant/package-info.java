/**
 * Small bugs in production code, as data. {@link io.millrace.sim.mutant.Mutants} lists them, and
 * {@link io.millrace.sim.mutant.MutantCompiler} compiles classes with them. They measure which bugs
 * the simulator and the unit tests find.
 */
package io.millrace.sim.mutant;
