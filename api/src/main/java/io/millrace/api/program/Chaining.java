package io.millrace.api.program;

/** Whether an operator may run in the same task as its neighbours. */
public enum Chaining {
  /** With its input and its outputs, where that is safe. */
  ALWAYS,
  /** With its outputs only: it starts a new chain. */
  HEAD,
  /** Alone. */
  NEVER
}
