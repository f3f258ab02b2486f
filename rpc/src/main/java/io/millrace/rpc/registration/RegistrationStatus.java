package io.millrace.rpc.registration;

/** The status in replies to a registration. */
public enum RegistrationStatus {
  ACCEPTED,
  /** Temporary: try again later. */
  REFUSED,
  /** Permanent: do not try again. */
  REJECTED
}
