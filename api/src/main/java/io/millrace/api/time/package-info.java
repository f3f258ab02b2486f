/**
 * Event time and timers. A {@link io.millrace.api.time.WatermarkStrategy} assigns timestamps and
 * generates watermarks; keyed functions register timers at {@link
 * io.millrace.api.time.TimerService}. Times are milliseconds: processing times since the epoch,
 * event times since the origin that the program's timestamps have.
 */
package io.millrace.api.time;
