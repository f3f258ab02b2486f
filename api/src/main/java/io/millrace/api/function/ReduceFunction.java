package io.millrace.api.function;

import java.io.Serializable;

/**
 * Combines two records of one key into one, and changes neither. What was combined already is
 * combined further, also with each other: how records are grouped must not matter. Those that one
 * subtask sent come in their order, but sliding windows and sessions combine parts of what they
 * hold in the order of time.
 */
@FunctionalInterface
public interface ReduceFunction<T> extends Serializable {
  T reduce(T left, T right) throws Exception;
}
