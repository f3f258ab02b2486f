package io.millrace.core.error;

/** The cause of an error, which decides the reaction to it. */
public enum ErrorKind {
  /** The program or the input is wrong. Do not retry; report it to the user. */
  USER,
  /** A resource is missing that may become available. Wait or retry, and report what is missing. */
  RESOURCE,
  /** A system outside of Millrace failed. Retry, then report. */
  EXTERNAL,
  /** A bug of Millrace. Stop the affected part and keep the stack trace. */
  BUG
}
