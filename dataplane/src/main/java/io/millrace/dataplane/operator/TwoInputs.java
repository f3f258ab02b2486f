package io.millrace.dataplane.operator;

/**
 * An operator with two inputs. It is always the head of its chain: {@link
 * StreamOperator#processElement} gets the records of the first input. Watermarks and barriers reach
 * it when they have come on both inputs, like those of any task with several channels.
 */
public interface TwoInputs {
  /** Processes a record of the second input. */
  void processSecond(Object record);
}
