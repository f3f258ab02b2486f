package io.millrace.rpc.registration;

/** How a registration was received; what reply messages carry. */
public enum RegistrationStatus {
  ACCEPTED,
  /** Not now: try again later. */
  REFUSED,
  /** Never: do not try again. */
  REJECTED
}
