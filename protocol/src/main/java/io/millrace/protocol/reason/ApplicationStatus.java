package io.millrace.protocol.reason;

/** How an application ended, for whoever gave it machines. */
public enum ApplicationStatus {
  SUCCEEDED,
  FAILED,
  CANCELED,
  UNKNOWN
}
