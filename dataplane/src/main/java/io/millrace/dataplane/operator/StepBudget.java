package io.millrace.dataplane.operator;

/** How long an engine operator may go on that emits of its own accord. */
@FunctionalInterface
public interface StepBudget {
  /** Whether it has to stop here and will be called again: no room for output, or time is up. */
  boolean isExhausted();
}
