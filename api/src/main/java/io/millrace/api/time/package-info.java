/**
 * Event time and timers. A {@link io.millrace.api.time.WatermarkStrategy} says when records
 * happened and how far event time has come; {@link io.millrace.api.time.TimerService} is how keyed
 * functions ask to be called at a time. Times are milliseconds, event times since whatever the
 * program's records mean by 0, processing times since 1970.
 */
package io.millrace.api.time;
