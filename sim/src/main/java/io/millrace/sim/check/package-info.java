/**
 * What holds in every scenario. {@link io.millrace.sim.check.Invariants} lists it; each {@link
 * io.millrace.sim.check.Invariant} is a sentence and a few lines that look at {@link
 * io.millrace.sim.check.Fact facts} as they become known and at the {@link
 * io.millrace.sim.check.World} as it really is: the slot tables and tasks of workers, the processes
 * of the driver, the content of the store, what was carried on the wire.
 *
 * <p>Most are checked at the event that could break them. Those that speak of a cluster at rest are
 * checked when it is calm and jobs run or have ended, and again when all have ended.
 */
package io.millrace.sim.check;
