package io.millrace.api.time;

/** The kind of time of a timer. */
public enum TimeDomain {
  EVENT_TIME,
  PROCESSING_TIME
}
