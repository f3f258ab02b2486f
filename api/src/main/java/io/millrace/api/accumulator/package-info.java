/**
 * What a function counts besides its records. A function gets an {@link
 * io.millrace.api.accumulator.Accumulator} from its runtime context; the result of the job has the
 * values over all tasks.
 */
package io.millrace.api.accumulator;
