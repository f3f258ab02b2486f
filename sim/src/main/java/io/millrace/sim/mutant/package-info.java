/**
 * Small bugs in production code, as data: {@link io.millrace.sim.mutant.Mutants} lists them and
 * {@link io.millrace.sim.mutant.MutantCompiler} makes classes of one, beside those of the build.
 * They show which bugs of this kind the simulator and the unit tests would notice.
 */
package io.millrace.sim.mutant;
