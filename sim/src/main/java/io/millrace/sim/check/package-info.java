/**
 * What holds in each scenario. {@link io.millrace.sim.check.Invariants} lists it; each {@link
 * io.millrace.sim.check.Invariant} is a sentence and a few lines that look at each {@link
 * io.millrace.sim.check.Fact} when it happens and at the {@link
 * io.millrace.sim.check.SimulatedWorld}: the slot tables and tasks of workers, the processes of the
 * driver, the content of the store, the messages on the wire.
 *
 * <p>Most invariants are checked at the event that could violate them. Those about a cluster at
 * rest are checked when it is calm and jobs run or have ended, and again when all have ended.
 */
package io.millrace.sim.check;
