/**
 * The invariants of the simulator. {@link io.millrace.sim.check.Invariants} lists them; each {@link
 * io.millrace.sim.check.Invariant} has a sentence and overrides a method for each kind of {@link
 * io.millrace.sim.check.Fact} that it checks, against the {@link
 * io.millrace.sim.check.SimulatedWorld}: the slot tables and tasks of workers, the processes of the
 * driver, the content of the store, the messages on the wire.
 *
 * <p>Most invariants are checked at the event that could violate them. Those about a cluster at
 * rest are checked when it is calm and jobs run or have ended, and again when all have ended.
 */
package io.millrace.sim.check;
