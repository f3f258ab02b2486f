package io.millrace.control.scheduler;

/**
 * When something happens, on both clocks.
 *
 * @param wallMillis for people to read
 * @param nanos for measuring
 */
public record ClockReading(long wallMillis, long nanos) {}
