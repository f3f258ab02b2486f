/**
 * Names of things that travel between processes: one small record each, so that a job id cannot be
 * passed where a slot allocation is meant. Ids are 128 bits, printed as 32 hex digits; whoever
 * needs a fresh one hands in the random generator, because ids must come out the same from the same
 * seed.
 */
package io.millrace.core.id;
