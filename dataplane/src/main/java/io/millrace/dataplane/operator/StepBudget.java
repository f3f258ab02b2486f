package io.millrace.dataplane.operator;

/** Limits the work of an operator that emits many results at once, such as window firing. */
@FunctionalInterface
public interface StepBudget {
  /** Whether the operator has to yield: an output is full or the time of the step is over. */
  boolean isExhausted();
}
