/**
 * Values of accumulators: what functions count besides their records. {@link
 * io.millrace.core.accumulator.AccumulatorValue} is the entry. The set of types is fixed, so that a
 * JobManager merges values without classes of users.
 */
package io.millrace.core.accumulator;
