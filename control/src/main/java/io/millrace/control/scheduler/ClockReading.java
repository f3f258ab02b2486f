package io.millrace.control.scheduler;

/**
 * A point in time on both clocks.
 *
 * @param wallMillis for display
 * @param nanos for measuring
 */
public record ClockReading(long wallMillis, long nanos) {}
