/**
 * Rules broken on purpose, to see that somebody notices: each {@link
 * io.millrace.sim.sabotage.Sabotage} is a wiring that breaks one rule, and {@link
 * io.millrace.sim.sabotage.Sabotages} lists them.
 */
package io.millrace.sim.sabotage;
