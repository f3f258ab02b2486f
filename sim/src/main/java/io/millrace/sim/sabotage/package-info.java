/**
 * Deliberate violations of invariants, which show that each invariant can fail: each {@link
 * io.millrace.sim.sabotage.Sabotage} has a wiring with one fault, and {@link
 * io.millrace.sim.sabotage.Sabotages} lists them.
 */
package io.millrace.sim.sabotage;
