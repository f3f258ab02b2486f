package io.millrace.core.error;

/** Whose fault it is, which decides what to do about it. */
public enum ErrorKind {
  /** The program or the input is wrong: do not retry, tell the user. */
  USER,
  /** Something is missing that may come: wait or retry, say what is missing. */
  RESOURCE,
  /** A system outside of Millrace failed: retry, then tell. */
  EXTERNAL,
  /** Millrace itself is wrong: stop what is affected, keep the evidence. */
  BUG
}
