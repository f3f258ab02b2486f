package io.millrace.protocol.reason;

/** The final status of an application, which the driver reports to the resource provider. */
public enum ApplicationStatus {
  SUCCEEDED,
  FAILED,
  CANCELED,
  UNKNOWN
}
