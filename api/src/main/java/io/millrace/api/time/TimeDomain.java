package io.millrace.api.time;

/** Which clock a timer follows. */
public enum TimeDomain {
  EVENT_TIME,
  PROCESSING_TIME
}
